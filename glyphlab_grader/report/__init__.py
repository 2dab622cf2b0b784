"""What a class made of an assignment: one HTML page, and the same as JSON.

`gather` reads gradebook and kept outcomes into plain data; `page` writes it as HTML; `command` is
``glyphlab-grade report``.
"""
