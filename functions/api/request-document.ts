/** The document in a request's body: one, readable, and about what the path names. */

import type { WireFault } from '#contracts/api-bodies.ts';
import { parseDocuments } from '#documents/parse-documents.ts';
import { placed, withPlacesOf } from '#documents/text-places.ts';
import { PipelineError } from '#domain/errors.ts';
import { error, type Fault, firstFaults } from '#domain/manifest/fault.ts';
import { isMap } from '#domain/manifest/kubernetes-document.ts';
import { isManifest } from '#domain/manifest/validate-documents.ts';
import type { HttpRequest } from '../http.ts';
import type { SubmissionPorts } from '../rights/submission-uses.ts';

/** What a document is about. */
export interface DocumentKey {
  readonly namespace: string;
  readonly name: string;
}

/** All documents of a body. Throws `InvalidInput` with the faults when it cannot be read, or when there are none. */
export function requestDocuments(
  request: Pick<HttpRequest<unknown, unknown>, 'body'>,
  { config }: Pick<SubmissionPorts, 'config'>,
): readonly unknown[] {
  const { documents, faults } = parseDocuments(request.body, { maxBytes: config.KUBELOOM_MAX_BODY_BYTES });
  if (faults.length > 0) {
    const [first] = faults;
    const place = first?.line === undefined ? '' : `line ${first.line}, column ${first.column}: `;
    throw new PipelineError('InvalidInput', `the body cannot be read: ${place}${first?.reason}; ${first?.fix}`, {
      details: wireFaults(faults),
    });
  }
  if (documents.length > 0) return documents;
  throw new PipelineError('InvalidInput', 'the body holds no document; send it as YAML or JSON');
}

/**
 * The one document of a body; without a namespace of its own it is in that of the path.
 * Throws `InvalidInput` as above, and when there are several.
 */
export function requestDocument(
  request: Pick<HttpRequest<DocumentKey, unknown>, 'body' | 'path'>,
  deps: Pick<SubmissionPorts, 'config'>,
): unknown {
  const [document, ...more] = requestDocuments(request, deps);
  if (more.length > 0) {
    throw new PipelineError(
      'InvalidInput',
      `the body holds ${more.length + 1} documents; send each in a request of its own`,
    );
  }
  return inNamespace(document, request.path);
}

/**
 * The manifest of a body, and what else is in it. Throws `InvalidInput` as above, and when there are several
 * manifests; a single document is taken as it is, so that all of its faults are found.
 */
export function requestDocumentAmong(
  request: Pick<HttpRequest<DocumentKey, unknown>, 'body' | 'path'>,
  deps: Pick<SubmissionPorts, 'config'>,
): { readonly document: unknown; readonly accompanying: readonly unknown[] } {
  const documents = requestDocuments(request, deps);
  if (documents.length === 1) return { document: inNamespace(documents[0], request.path), accompanying: [] };
  const [document, ...more] = documents.filter(isManifest);
  if (document === undefined || more.length > 0) {
    const count = document === undefined ? 'no manifest' : `${more.length + 1} manifests`;
    throw new PipelineError('InvalidInput', `the body holds ${count}; send each in a request of its own`);
  }
  return {
    document: inNamespace(document, request.path),
    accompanying: documents.filter((one) => !isManifest(one)),
  };
}

function inNamespace(document: unknown, { namespace }: DocumentKey): unknown {
  if (!isMap(document) || !isMap(document.metadata)) return document;
  return withPlacesOf(document, { ...document, metadata: { namespace, ...document.metadata } });
}

/** Where document and path are about different things. */
export function pathFaults(document: unknown, path: DocumentKey): readonly Fault[] {
  const metadata = isMap(document) && isMap(document.metadata) ? document.metadata : {};
  return (['namespace', 'name'] as const).flatMap((field) => {
    const given = metadata[field];
    if (given === undefined || given === path[field]) return [];
    // The value has been parsed, but may not be text: not even `String` is safe on it.
    const said = (typeof given === 'string' ? given : JSON.stringify(given)).slice(0, 80);
    const reason = `the document says "${said}", the path of the request "${path[field]}"`;
    return [error(['metadata', field], reason, 'make them the same')];
  });
}

/** Of a document that is stored as it is: an item of the table has 400 KB, with what else it has. */
const mostBytes = 100_000;

/** Where a document is larger than what is stored of it may be; aliases are written out. */
export function storageFaults(document: unknown): readonly Fault[] {
  const bytes = Buffer.byteLength(JSON.stringify(document) ?? '');
  if (bytes <= mostBytes) return [];
  const reason = `has ${bytes} bytes, at most ${mostBytes} can be stored`;
  return [error([], reason, 'leave out what is not needed, or split it into several')];
}

/** Throws `InvalidManifest` that carries every fault, when there are any. */
export function refuseFaults(kind: string, key: DocumentKey, faults: readonly WireFault[]): void {
  if (faults.length > 0) throw faultsError(kind, key, faults);
}

export function faultsError(kind: string, key: DocumentKey, faults: readonly WireFault[]): PipelineError {
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
  const message = `${kind} "${key.namespace}/${key.name}" has ${count}; nothing was changed`;
  return new PipelineError('InvalidManifest', message, { details: faults });
}

/**
 * Faults as the API reports them, not more than anyone reads, with their places in the text of the document where it
 * was sent as one; whether they are warnings is said by the list they are in.
 */
export function wireFaults(faults: readonly Fault[], document?: unknown, most?: number): WireFault[] {
  return placed(document, firstFaults(faults, most)).map(({ severity: _, ...fault }) => fault);
}
