/** Terraform's values on the wire: MessagePack in which an extension stands for "not known yet". */
import { Decoder, Encoder, ExtensionCodec } from '@msgpack/msgpack';

/** A value that Terraform does not know before the apply. Its bytes may say what is known of it; they are handed back as they came. */
export class Unknown {
  readonly kind: number;
  readonly bytes: Uint8Array;

  constructor(kind = 0, bytes = new Uint8Array([0])) {
    this.kind = kind;
    this.bytes = bytes;
  }
}

export type CtyValue =
  | null
  | string
  | number
  | boolean
  | Uint8Array
  | Unknown
  | readonly CtyValue[]
  | { readonly [key: string]: CtyValue };
export type CtyObject = { readonly [key: string]: CtyValue };

/** `"string"`, `["list", "string"]`, `["object", {…}]`: types as schemas write them. */
export type CtyType = string | readonly [string, ...unknown[]];

const plainUnknown = 0;
const refinedUnknown = 12;
const extensionCodec = new ExtensionCodec();
for (const kind of [plainUnknown, refinedUnknown]) {
  extensionCodec.register({
    type: kind,
    encode: (value) => (value instanceof Unknown && value.kind === kind ? value.bytes : null),
    decode: (bytes) => new Unknown(kind, new Uint8Array(bytes)),
  });
}
const encoder = new Encoder({ extensionCodec });
const decoder = new Decoder({ extensionCodec });

export function encodeValue(value: CtyValue): Uint8Array {
  return encoder.encode(value);
}

export function decodeValue(bytes: Uint8Array): CtyValue {
  return decoder.decode(bytes) as CtyValue;
}

/** True for an object or map; false for lists, bytes and the unknown. */
export function isObject(value: CtyValue | undefined): value is CtyObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Unknown) &&
    !(value instanceof Uint8Array)
  );
}

export function isList(value: CtyValue | undefined): value is readonly CtyValue[] {
  return Array.isArray(value);
}

/** The same all the way down; two unknowns are never the same. */
export function isSame(left: CtyValue | undefined, right: CtyValue | undefined): boolean {
  if (left instanceof Unknown || right instanceof Unknown) return false;
  if (isList(left) && isList(right)) {
    return left.length === right.length && left.every((item, index) => isSame(item, right[index]));
  }
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left);
    return keys.length === Object.keys(right).length && keys.every((key) => isSame(left[key], right[key]));
  }
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.from(left).equals(right);
  return left === right;
}

/** Every text and number in a value, at any depth. */
export function* leaves(value: CtyValue): Generator<string | number> {
  if (typeof value === 'string' || typeof value === 'number') yield value;
  else if (isList(value)) for (const item of value) yield* leaves(item);
  else if (isObject(value)) for (const item of Object.values(value)) yield* leaves(item);
}
