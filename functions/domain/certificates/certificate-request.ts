/** A certificate request (PKCS#10) in PEM: whom it is for. Its signature is checked by the API server that took it. */
import {
  DerFault,
  type DerValue,
  derParts,
  derTags,
  derText,
  nameParts,
  objectId,
  readDer,
  readValues,
} from './der.ts';

export interface ParsedCertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  /** As people write them: `192.168.2.1`, `fd00:0:0:0:0:0:0:1`. */
  readonly addresses: readonly string[];
  /** What else it asks for, in words: other parts of the subject, mail addresses, extensions. */
  readonly others: readonly string[];
}

const { commonName, organization } = nameParts;
const extensionRequest = '1.2.840.113549.1.9.14';
const alternativeNames = '2.5.29.17';

/** Undefined for a text that is no such request. */
export function readCertificateRequest(pem: string): ParsedCertificateRequest | undefined {
  const match =
    /^-----BEGIN CERTIFICATE REQUEST-----\n([A-Za-z0-9+/=\n]+)\n?-----END CERTIFICATE REQUEST-----\n?$/.exec(
      pem.replaceAll('\r\n', '\n'),
    );
  const [, base64] = match ?? [];
  if (base64 === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(base64.replaceAll('\n', '')), (letter) => letter.charCodeAt(0));
    return requestOf(readDer(bytes));
  } catch (error) {
    if (error instanceof DerFault || error instanceof DOMException) return undefined;
    throw error;
  }
}

function requestOf(value: DerValue): ParsedCertificateRequest {
  const [info] = derParts(value, derTags.sequence);
  const [, subject, , ...rest] = derParts(info, derTags.sequence);
  const named = derParts(subject, derTags.sequence).flatMap((set) =>
    derParts(set, derTags.set).map((pair) => {
      const [type, text] = derParts(pair, derTags.sequence);
      if (text === undefined) throw new DerFault('a name has no text');
      return { type: objectId(type), text: nameText(text) };
    }),
  );
  const attributes = rest.filter(({ tag }) => tag === derTags.attributes).flatMap(({ content }) => readValues(content));
  const extensions = attributes.flatMap(extensionsOf);
  const of = (wanted: string) => named.filter(({ type }) => type === wanted).map(({ text }) => text);
  const [name = '', ...more] = of(commonName);
  const names = extensions.filter(({ id }) => id === alternativeNames).map(({ content }) => generalNames(content));
  return {
    commonName: name,
    organizations: of(organization),
    dnsNames: names.flatMap(({ dnsNames }) => dnsNames),
    addresses: names.flatMap(({ addresses }) => addresses),
    others: [
      ...more.map((text) => `a second common name ${text}`),
      ...named.filter(({ type }) => ![commonName, organization].includes(type)).map(({ type }) => `subject ${type}`),
      ...extensions.filter(({ id }) => id !== alternativeNames).map(({ id }) => `extension ${id}`),
      ...names.flatMap(({ others }) => others),
    ],
  };
}

/** In other encodings the API server reads a different name from the same bytes. */
function nameText(value: DerValue): string {
  const known: readonly number[] = [derTags.utf8, derTags.printable, derTags.ia5];
  if (!known.includes(value.tag)) throw new DerFault('a name is in an unknown encoding');
  return derText(value);
}

function extensionsOf(attribute: DerValue): readonly { readonly id: string; readonly content: Uint8Array }[] {
  const [type, values] = derParts(attribute, derTags.sequence);
  if (objectId(type) !== extensionRequest) return [];
  return derParts(values, derTags.set).flatMap((list) =>
    derParts(list, derTags.sequence).map((extension) => {
      const parts = derParts(extension, derTags.sequence);
      const content = parts.at(-1);
      if (content?.tag !== derTags.octets) throw new DerFault('an extension has no content');
      return { id: objectId(parts[0]), content: content.content };
    }),
  );
}

function generalNames(bytes: Uint8Array): Pick<ParsedCertificateRequest, 'dnsNames' | 'addresses' | 'others'> {
  const names = derParts(readDer(bytes), derTags.sequence);
  return {
    dnsNames: names.filter(({ tag }) => tag === 0x82).map(derText),
    addresses: names.filter(({ tag }) => tag === 0x87).map(({ content }) => addressText(content)),
    others: names.filter(({ tag }) => tag !== 0x82 && tag !== 0x87).map(({ tag }) => `a name of kind ${tag & 0x1f}`),
  };
}

function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return [...bytes].join('.');
  if (bytes.length !== 16) throw new DerFault('an address has another length');
  return Array.from({ length: 8 }, (_, index) =>
    (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16),
  ).join(':');
}
