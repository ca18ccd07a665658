/** Faults of a document as the API reports them, and what every document that is stored is checked for. */
import type { WireFault } from '#contracts/api-bodies.ts';
import { cutFault } from '#domain/cut-text.ts';
import { PipelineError } from '#domain/errors.ts';
import { isMap } from '#domain/json.ts';
import { error, type Fault, firstFaults } from '#domain/manifest/faults/fault.ts';
import { counted } from '#domain/words.ts';
import { placed } from './text-places.ts';

/** What a document is about. */
export interface DocumentKey {
  readonly namespace: string;
  readonly name: string;
}

/** Where document and path are about different things. */
export function pathFaults(document: unknown, path: DocumentKey): readonly Fault[] {
  const metadata = isMap(document) && isMap(document.metadata) ? document.metadata : {};
  return (['namespace', 'name'] as const).flatMap((field) => {
    const given = metadata[field];
    if (given === undefined || given === path[field]) return [];
    // The value has been parsed, but may not be text: not even `String` is safe on it.
    const shown = (typeof given === 'string' ? given : JSON.stringify(given)).slice(0, 80);
    const reason = `the document says "${shown}", the path of the request "${path[field]}"`;
    return [error(['metadata', field], reason, 'make them the same')];
  });
}

/** Most bytes of a stored document: DynamoDB items are limited to 400 KB in total. */
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
  const message = `${kind} "${key.namespace}/${key.name}" has ${counted(faults.length, 'fault')}; nothing was changed`;
  return new PipelineError('InvalidManifest', message, { details: faults });
}

/**
 * Faults as the API reports them, at most `most`, with their positions in the text of `document` if it was sent as one text.
 * Which list they are in says whether they are warnings.
 */
export function wireFaults(faults: readonly Fault[], document?: unknown, most?: number): WireFault[] {
  return placed(document, firstFaults(faults, most)).map(({ severity: _, ...fault }) => cutFault(fault));
}
