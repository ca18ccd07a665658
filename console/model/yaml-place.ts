/** Where a cursor is in YAML that someone is writing, which is rarely valid then: by the tree of a parser that continues after each fault. */
import { yamlLanguage } from '@codemirror/lang-yaml';

/** A key, or an item of a list. */
export type YamlStep = string | typeof item;
export const item = Symbol('item');

export interface YamlPlace {
  /** Kind of the document around the cursor. */
  readonly kind: string | undefined;
  /** To the mapping in which a key is written, or to the value. */
  readonly path: readonly YamlStep[];
  /** In a list, a key may be a value, too: the schema knows. */
  readonly what: 'key' | 'value';
  /** What is written of it so far, and where that starts in the text. */
  readonly typed: string;
  readonly from: number;
  /** Keys that the mapping has already. */
  readonly others: readonly string[];
  /** Column at which the keys of the mapping are; undefined within braces. */
  readonly column: number | undefined;
}

export type TreeNode = ReturnType<ReturnType<typeof yamlLanguage.parser.parse>['resolveInner']>;

/** Undefined where nothing can be completed: in comments, texts of several words, and those in quotation marks. */
export function placeInYaml(text: string, position: number): YamlPlace | undefined {
  return placeIn(text, position) ?? placeIn(withoutHalves(text, position), position);
}

function placeIn(text: string, position: number): YamlPlace | undefined {
  const start = text.slice(0, position).lastIndexOf('\n') + 1;
  const [rest = ''] = text.slice(position).split('\n', 1);
  const isAlone = /^\s*(-\s+)*[\w./-]*$/.test(text.slice(start, position)) && rest.trim() === '';
  // With a word at the cursor there is a node for it; a word that is alone in its line becomes a key.
  const whole = `${text.slice(0, position)}${isAlone ? 'x:' : 'x'}${text.slice(position)}`;
  const word = yamlLanguage.parser.parse(whole).resolveInner(position, 1);
  // A text over several lines is one that the line of the cursor was not meant for.
  if (word.name !== 'Literal' || word.from < start) return undefined;
  const read = (node: TreeNode): string => whole.slice(node.from, node.to);
  const typed = whole.slice(word.from, position);
  const pair = word.parent?.name === 'Key' ? word.parent.parent : undefined;
  const base = { kind: kindOf(word, read), path: pathTo(word, read), typed, from: word.from };
  if (!pair || isBareItem(pair)) return { ...base, what: 'value', others: [], column: undefined };
  if (/\s/.test(typed)) return undefined;
  const column = pair.parent?.name === 'BlockMapping' ? word.from - start : undefined;
  return { ...base, what: 'key', others: othersOf(pair, read), column };
}

/** Blanks, in each line but the cursor's, keys that have no colon yet, and values with an open quotation mark or bracket. */
function withoutHalves(text: string, position: number): string {
  let at = 0;
  return text
    .split('\n')
    .map((line) => {
      const isCursors = at <= position && position <= at + line.length;
      at += line.length + 1;
      if (isCursors) return line;
      if (/^\s*[\w./-]+\s*$/.test(line)) return ' '.repeat(line.length);
      const [, key = '', value = ''] = /^([^:#]*:\s)(\s*["'[{].*)$/.exec(line) ?? [];
      return isOpen(value) ? key + ' '.repeat(value.length) : line;
    })
    .join('\n');
}

function isOpen(value: string): boolean {
  const signs = value.replaceAll(/"[^"]*"|'[^']*'/g, '');
  return /["']/.test(signs) || signs.split(/[{[]/).length !== signs.split(/[\]}]/).length;
}

/** Steps to the mapping of a key, or to a value. */
function pathTo(word: TreeNode, read: (node: TreeNode) => string): readonly YamlStep[] {
  const path: YamlStep[] = [];
  for (let node: TreeNode | null = word; node; node = node.parent) {
    if (node.name === 'Item') path.unshift(item);
    const key = node.parent?.name === 'Pair' && node.name !== 'Key' ? keyOfPair(node.parent, read) : undefined;
    if (key !== undefined) path.unshift(key);
  }
  return path;
}

/** What is at a place of the text, where a word may begin, with what reads nodes of its tree. */
export function treeAt(
  text: string,
  position: number,
): { readonly node: TreeNode; readonly read: (node: TreeNode) => string } {
  const whole = `${text.slice(0, position)}x${text.slice(position)}`;
  return {
    node: yamlLanguage.parser.parse(whole).resolveInner(position, 1),
    read: (node) => whole.slice(node.from, node.to),
  };
}

export const isWord = ({ name }: TreeNode): boolean => name.endsWith('Literal');

export function keyOfPair(pair: TreeNode, read: (node: TreeNode) => string): string | undefined {
  const key = pair.getChild('Key');
  return key ? read(key).replace(/^(["'])(.*)\1$/s, '$2') : undefined;
}

/** Keys next to it, the nearest above first, then those below. */
function othersOf(pair: TreeNode, read: (node: TreeNode) => string): readonly string[] {
  const next = (side: 'prevSibling' | 'nextSibling'): string[] => {
    const keys: string[] = [];
    for (let other = pair[side]; other; other = other[side]) {
      const key = other.name === 'Pair' ? keyOfPair(other, read) : undefined;
      if (key !== undefined) keys.push(key);
    }
    return keys;
  };
  return [...next('prevSibling'), ...next('nextSibling')];
}

/** In `[one, t` it may become the key of a mapping without braces, which no one writes. */
const isBareItem = (pair: TreeNode): boolean =>
  pair.parent?.name === 'FlowMapping' && pair.parent.firstChild?.name !== '{' && pair.getChild(':') === null;

function kindOf(word: TreeNode, read: (node: TreeNode) => string): string | undefined {
  let document = word;
  while (document.parent && document.name !== 'Document') document = document.parent;
  const pairs = document.getChild('BlockMapping')?.getChildren('Pair') ?? [];
  const kind = pairs.find((pair) => keyOfPair(pair, read) === 'kind')?.lastChild;
  return kind && isWord(kind) && kind.from !== word.from ? /\w+/.exec(read(kind))?.[0] : undefined;
}
