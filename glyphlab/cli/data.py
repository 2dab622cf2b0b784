"""``glyphlab data``: verify the files of the data set, or write them anew."""

import argparse

from glyphlab import dataset
from glyphlab.cli._output import CommandError, Result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument(
        "action",
        nargs="?",
        choices=("verify", "write"),
        default="verify",
        help="verify compares with the checksums (default); write draws and writes the files",
    )
    parser.add_argument(
        "folder",
        nargs="?",
        metavar="FOLDER",
        help="where the files are, or go; for verify the shipped ones where it is left out",
    )


def build(args: argparse.Namespace) -> Result:
    """Verify or write."""
    if args.action == "write" and args.folder is None:
        raise CommandError("write needs a folder: glyphlab data write FOLDER")
    try:
        if args.action == "write":
            dataset.write(args.folder)
        dataset.verify(args.folder)
    except dataset.DataFileError as error:
        raise CommandError(str(error)) from error
    return {
        "command": "data",
        "action": args.action,
        "folder": str(
            dataset.data_path("images.npy").parent if args.folder is None else args.folder
        ),
        "files": dataset.FILES,
    }


def text(result: Result) -> str:
    """Write the result out."""
    done = "written and verified" if result["action"] == "write" else "verified"
    return f"{result['folder']}: {len(result['files'])} files {done}: {', '.join(result['files'])}"
