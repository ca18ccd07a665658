/** XML as APIs answer it, as a tree: elements in any order, without attributes. */
export interface Element {
  readonly name: string;
  readonly children: Element[];
  text: string;
}

/** A page of 500 machines has some 100,000. */
const mostElements = 500_000;
const mostDepth = 100;

/** The root, whose only child is the outermost element. Throws `SyntaxError` for elements that do not end. */
export function readXml(xml: string): Element {
  const root: Element = { name: '', children: [], text: '' };
  const open = [root];
  let elements = 0;
  for (const [, word, end, begin, attributes] of xml.matchAll(
    /<[?!][^<>]*>|([^<]+)|<\/([\w:.-]+)\s*>|<([\w:.-]+)(?![\w:.-])([^<>]*)>/g,
  )) {
    const inner = open.at(-1) ?? root;
    if (word !== undefined) inner.text += unescaped(word);
    if (end !== undefined && open.pop()?.name !== end) throw new SyntaxError('an element ends that did not start');
    if (begin === undefined) continue;
    elements += 1;
    if (elements > mostElements || open.length > mostDepth) throw new SyntaxError('it has too many elements');
    const element: Element = { name: begin, children: [], text: '' };
    inner.children.push(element);
    if (!attributes?.endsWith('/')) open.push(element);
  }
  if (open.length !== 1) throw new SyntaxError('an element does not end');
  return root;
}

/** All elements at the end of a path of names. */
export function elementsAt({ children }: Element, [name, ...rest]: readonly string[]): readonly Element[] {
  const found = children.filter((child) => child.name === name);
  return rest.length === 0 ? found : found.flatMap((child) => elementsAt(child, rest));
}

/** The text of a child; undefined without one. */
export function textOf({ children }: Element, name: string): string | undefined {
  return children.find((child) => child.name === name)?.text.trim();
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}
