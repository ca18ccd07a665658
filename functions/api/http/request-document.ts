/** The document in a request's body: one, readable, and about what the path names. */
import { parseDocuments } from '#documents/parse-documents.ts';
import { withPlacesOf } from '#documents/text-places.ts';
import { type DocumentKey, wireFaults } from '#documents/wire-faults.ts';
import { isManifest } from '#domain/documents/validate-documents.ts';
import { PipelineError } from '#domain/errors.ts';
import { isMap } from '#domain/json.ts';
import type { HttpRequest } from '../../http.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';

/** All documents of a body. Throws `InvalidInput` with the faults when the body cannot be read or has no document. */
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
