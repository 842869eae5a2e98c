"""XML from anybody as a small tree with line numbers: no DTD, no entities, no depth or size that hurts."""

from dataclasses import dataclass, field
from io import BytesIO
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl, Locator

import defusedxml.sax
from defusedxml.common import DefusedXmlException

from app.exchange.questions import ExchangeError, check_size

MAX_DEPTH = 32
MAX_NODES = 400_000


@dataclass(slots=True)
class Node:
    """One element: where it starts, its attributes, its own text and its children."""

    tag: str
    line: int
    attributes: dict[str, str]
    text: str = ""
    children: list["Node"] = field(default_factory=list)

    def child(self, tag: str) -> "Node | None":
        """Return the first child of this name, or `None`."""
        return next((one for one in self.children if one.tag == tag), None)

    def all(self, tag: str) -> list["Node"]:
        """Return the children of this name."""
        return [one for one in self.children if one.tag == tag]

    def words(self, tag: str = "text") -> str:
        """Return the text of a child, empty where there is none."""
        found = self.child(tag)
        return found.text.strip() if found is not None else ""


class _Builder(ContentHandler):
    def __init__(self) -> None:
        super().__init__()
        self.root: Node | None = None
        self.open: list[Node] = []
        self.pieces: list[list[str]] = []
        self.nodes = 0
        self.locator: Locator | None = None

    def setDocumentLocator(self, locator: Locator) -> None:  # noqa: N802 - the name that SAX gives it
        self.locator = locator

    @property
    def line(self) -> int:
        """Return the line the parser is at."""
        return (self.locator.getLineNumber() if self.locator is not None else None) or 1

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802 - as above
        self.nodes += 1
        if len(self.open) >= MAX_DEPTH or self.nodes > MAX_NODES:
            what = "nested too deeply" if len(self.open) >= MAX_DEPTH else "made of too many elements"
            raise ExchangeError(f"line {self.line}: The file is {what}.")
        node = Node(name, self.line, dict(attrs.items()))
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node
        self.open.append(node)
        self.pieces.append([])

    def endElement(self, name: str) -> None:  # noqa: N802 - as above
        self.open.pop().text = "".join(self.pieces.pop())

    def characters(self, content: str) -> None:
        self.pieces[-1].append(content)


def read_tree(raw: bytes) -> Node:
    """Return the root of an XML file.

    Raises `ExchangeError` with the line for a file that is too large, no XML, of an unknown encoding, or declares
    entities, which is how small files grow large.
    """
    check_size(raw)
    builder = _Builder()
    try:
        defusedxml.sax.parse(BytesIO(raw), builder, forbid_dtd=True)
    except DefusedXmlException as error:
        line = _line_of_doctype(raw)
        raise ExchangeError(
            f"line {line}: The file declares a DTD or entities, which is refused. Remove it."
        ) from error
    except SAXParseException as error:
        line = error.getLineNumber() or 1
        raise ExchangeError(f"line {line}: The file is no well-formed XML: {error.getMessage()}.") from error
    except (SAXException, LookupError, ValueError) as error:
        raise ExchangeError(f"line {builder.line}: The file cannot be read as XML: {error}.") from error
    if builder.root is None:
        raise ExchangeError("line 1: The file is empty.")
    return builder.root


def _line_of_doctype(raw: bytes) -> int:
    plain = raw.replace(b"\0", b"")  # UTF-16 of ASCII
    return plain[: max(plain.find(b"<!"), 0)].count(b"\n") + 1
