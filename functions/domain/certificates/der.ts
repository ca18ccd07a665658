/**
 * Reads and writes DER, as far as certificate requests need it (decision 11). Reading throws `DerFault` for what is not DER, and never
 * reads past the end.
 */

export class DerFault extends Error {}

export const derTags = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  objectId: 0x06,
  utf8: 0x0c,
  printable: 0x13,
  ia5: 0x16,
  sequence: 0x30,
  set: 0x31,
  /** Attributes of a certificate request. */
  attributes: 0xa0,
} as const;

/** Object identifiers of what a name is made of. */
export const nameParts: Readonly<Record<'commonName' | 'organization', string>> = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
};

export interface DerValue {
  /** The tag as it is written, with class and form: 0x30 = SEQUENCE, 0xa0 = context 0. */
  readonly tag: number;
  readonly content: Uint8Array;
}

/** Exactly one value, nothing after it. */
export function readDer(bytes: Uint8Array): DerValue {
  const [value, ...others] = readValues(bytes);
  if (value === undefined || others.length > 0) throw new DerFault('one value is expected');
  return value;
}

/** The values inside of one that is made of others. */
export function readValues(bytes: Uint8Array): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { tag, start, end } = header(bytes, at);
    values.push({ tag, content: bytes.subarray(start, end) });
    at = end;
  }
  return values;
}

/** Values of a value with this tag; throws for another. */
export function derParts(value: DerValue | undefined, tag: number): readonly DerValue[] {
  if (value?.tag !== tag) throw new DerFault(`tag ${tag} is expected`);
  return readValues(value.content);
}

/** `2.5.4.3` */
export function objectId(value: DerValue | undefined): string {
  if (value?.tag !== derTags.objectId || value.content.length === 0)
    throw new DerFault('an object identifier is expected');
  const [first = 0, ...rest] = value.content;
  const numbers = [Math.min(2, Math.floor(first / 40)), first - 40 * Math.min(2, Math.floor(first / 40))];
  let number = 0;
  for (const byte of rest) {
    number = number * 128 + (byte & 0x7f);
    if (number > 0xffffffff) throw new DerFault('an object identifier is too large');
    if (byte < 0x80) {
      numbers.push(number);
      number = 0;
    }
  }
  return numbers.join('.');
}

export function derText({ content }: DerValue): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw new DerFault('a text is not UTF-8');
  }
}

function header(bytes: Uint8Array, at: number): { readonly tag: number; readonly start: number; readonly end: number } {
  const tag = bytes[at] ?? 0;
  if ((tag & 0x1f) === 0x1f) throw new DerFault('tags of several bytes are not expected');
  const short = bytes[at + 1];
  if (short === undefined) throw new DerFault('the length is missing');
  const more = short < 0x80 ? 0 : short & 0x7f;
  if (short === 0x80 || more > 3) throw new DerFault('the length is not one of DER');
  let length = more === 0 ? short : 0;
  for (let index = 0; index < more; index += 1) length = length * 256 + (bytes[at + 2 + index] ?? 0);
  if (more > 0 && length < Math.max(0x80, 256 ** (more - 1)))
    throw new DerFault('the length is longer than it has to be');
  const start = at + 2 + more;
  const end = start + length;
  if (end > bytes.length) throw new DerFault('a value ends too early');
  return { tag, start, end };
}

/** A value made of these bytes. */
export function writeDer(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Uint8Array.from(parts.flatMap((part) => [...part]));
  const digits = [content.length >> 16, content.length >> 8, content.length].map((digit) => digit & 0xff);
  const needed = digits.slice(digits.findIndex((digit) => digit > 0));
  const length = content.length < 0x80 ? [content.length] : [0x80 + needed.length, ...needed];
  return Uint8Array.from([tag, ...length, ...content]);
}

/** Base 128, the first two numbers in one. */
export function writeObjectId(text: string): Uint8Array {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number);
  const bytes = [first * 40 + second, ...others].flatMap((number) => {
    const digits = [number & 0x7f];
    for (let rest = number >> 7; rest > 0; rest >>= 7) digits.unshift(0x80 | (rest & 0x7f));
    return digits;
  });
  return writeDer(derTags.objectId, Uint8Array.from(bytes));
}
