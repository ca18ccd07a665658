/** The little XML that S3 speaks. Reading knows elements and text only: no entities of one's own, no document types. */
import { S3Fault } from './s3-fault.ts';

export interface XmlElement {
  readonly name: string;
  readonly children: XmlElement[];
  text: string;
}

const maxDepth = 20;
const token = /<\?[^>]*\?>|<!--[\s\S]*?-->|<(\/?)([A-Za-z_][\w.:-]*)(?![\w.:-])([^<>]*)>|([^<]+)/y;

/** Reads one document. Throws `MalformedXML`. */
export function parseXml(text: string): XmlElement {
  const root: XmlElement = { name: '', children: [], text: '' };
  const open: XmlElement[] = [root];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    const current = open.at(-1);
    if (!match || !current) throw malformed();
    const [, closing, name, attributes, characters] = match;
    if (characters !== undefined) current.text += decodeEntities(characters);
    else if (name === undefined) continue;
    else if (closing) {
      if (open.length < 2 || current.name !== localName(name)) throw malformed();
      open.pop();
    } else {
      const element: XmlElement = { name: localName(name), children: [], text: '' };
      current.children.push(element);
      if (!attributes?.endsWith('/')) open.push(element);
      if (open.length > maxDepth) throw malformed();
    }
  }
  const [document] = root.children;
  if (open.length !== 1 || root.children.length !== 1 || !document) throw malformed();
  return document;
}

/** Text of the first child of that name. */
export const childText = (element: XmlElement, name: string): string | undefined =>
  element.children.find((child) => child.name === name)?.text;

/** A value to be written: text, a list of elements of the same name, or an element with children. */
export type XmlValue =
  | string
  | number
  | boolean
  | undefined
  | readonly XmlValue[]
  | { readonly [name: string]: XmlValue };

/** Writes a document; `undefined` writes nothing, a list repeats its element. */
export function renderXml(name: string, value: XmlValue): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${renderElement(name, value, ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"')}`;
}

function renderElement(name: string, value: XmlValue, attributes = ''): string {
  if (value === undefined) return '';
  if (isList(value)) return value.map((item) => renderElement(name, item)).join('');
  const inner =
    typeof value === 'object'
      ? Object.entries(value)
          .map(([child, content]) => renderElement(child, content))
          .join('')
      : escapeText(String(value));
  return `<${name}${attributes}>${inner}</${name}>`;
}

const isList = (value: XmlValue): value is readonly XmlValue[] => Array.isArray(value);
const malformed = (): S3Fault => new S3Fault('MalformedXML', 'the XML of the request is not well formed');
const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  return text.replace(/&([^;\s]*);?/g, (_, name: string) => {
    const known = entities[name];
    if (known !== undefined) return known;
    const point = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
    if (!name.startsWith('#') || !Number.isInteger(point) || point < 1 || point > 0x10ffff) throw malformed();
    return String.fromCodePoint(point);
  });
}

// Control characters too: a key may hold a line break, which must come back as it was.
const escapeText = (text: string): string =>
  text.replace(/[<>&"'\p{Cc}]/gu, (character) => `&#${character.charCodeAt(0)};`);
