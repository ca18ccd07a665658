/** A certificate request (PKCS#10) in PEM: whom it is for. Its signature is checked by the API server that took it. */
import { DerFault, type DerValue, derText, objectId, partsOf, readDer, readValues } from './der.ts';

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  /** As people write them: `192.168.2.1`, `fd00:0:0:0:0:0:0:1`. */
  readonly addresses: readonly string[];
  /** What else it asks for, in words: other parts of the subject, mail addresses, extensions. */
  readonly others: readonly string[];
}

const commonName = '2.5.4.3';
const organization = '2.5.4.10';
const extensionRequest = '1.2.840.113549.1.9.14';
const alternativeNames = '2.5.29.17';

/** Undefined for a text that is no such request. */
export function readCertificateRequest(pem: string): CertificateRequest | undefined {
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

function requestOf(value: DerValue): CertificateRequest {
  const [info] = partsOf(value, 0x30);
  const [, subject, , ...rest] = partsOf(info, 0x30);
  const named = partsOf(subject, 0x30).flatMap((set) =>
    partsOf(set, 0x31).map((pair) => {
      const [type, text] = partsOf(pair, 0x30);
      if (text === undefined) throw new DerFault('a name has no text');
      return { type: objectId(type), text: derText(text) };
    }),
  );
  const attributes = rest.filter(({ tag }) => tag === 0xa0).flatMap(({ content }) => readValues(content));
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

function extensionsOf(attribute: DerValue): readonly { readonly id: string; readonly content: Uint8Array }[] {
  const [type, values] = partsOf(attribute, 0x30);
  if (objectId(type) !== extensionRequest) return [];
  return partsOf(values, 0x31).flatMap((list) =>
    partsOf(list, 0x30).map((extension) => {
      const parts = partsOf(extension, 0x30);
      const content = parts.at(-1);
      if (content?.tag !== 0x04) throw new DerFault('an extension has no content');
      return { id: objectId(parts[0]), content: content.content };
    }),
  );
}

function generalNames(bytes: Uint8Array): Pick<CertificateRequest, 'dnsNames' | 'addresses' | 'others'> {
  const names = partsOf(readDer(bytes), 0x30);
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
