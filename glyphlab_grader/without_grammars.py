"""Importing this first lets jsonschema, and so nbformat, be imported in half the time.

jsonschema builds the grammars of international addresses when it is imported, which takes over a
second, and nothing in a notebook's schema is such an address. It does without them where the
package that holds them cannot be imported. For processes of our own alone.
"""

import sys

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
