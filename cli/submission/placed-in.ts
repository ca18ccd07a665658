/** `-n` of commands that read files: the namespace of documents that name none, as kubectl does it. */
import type { Command } from 'commander';
import { isMap } from '#domain/json.ts';
import { CliError, exitCodes } from '../exit-codes.ts';

export interface FileNamespace {
  readonly namespace: string;
  /** It was written on the command line, not in the context: documents that name another one are refused. */
  readonly only: boolean;
}

/** A document of a file. */
export interface FileDocument {
  readonly file: string;
  /** 0-based place in the file. */
  readonly index: number;
  readonly document: unknown;
}

/** What `-n` or the context says; undefined when neither does. */
export function fileNamespace(command: Command): FileNamespace | undefined {
  const source = command.getOptionValueSource('namespace');
  const { namespace } = command.opts<{ namespace?: string }>();
  return namespace === undefined || source === 'default' ? undefined : { namespace, only: source === 'cli' };
}

/**
 * Gives each document the namespace that has none; they are changed in place, so that faults keep their lines. A RoleBinding belongs
 * to no namespace. Throws `CliError` for a document that names another one than the command line.
 */
export function placeIn(documents: readonly FileDocument[], { namespace, only }: FileNamespace): void {
  for (const { file, index, document } of documents) {
    if (!isMap(document) || document.kind === 'RoleBinding') continue;
    const metadata = document.metadata ?? {};
    if (!isMap(metadata)) continue;
    if (metadata.namespace === undefined) Object.assign(document, { metadata: { ...metadata, namespace } });
    else if (only && metadata.namespace !== namespace)
      throw new CliError(
        `${file}, document ${index + 1} is of namespace "${String(metadata.namespace).slice(0, 60)}" and -n says "${namespace}": leave one of them out`,
        exitCodes.usage,
      );
  }
}
