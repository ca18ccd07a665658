/** Branches and tags of templates that have moved since a manifest was accepted: it is planned again with what they name now. */
import type { ManifestRecord, NewEvent } from '#contracts/records.ts';
import type { Using } from '../../ports.ts';
import { manifestOf } from './stored-document.ts';
import { type PinnedTemplates, pinTemplates } from './template-versions.ts';

export interface MovedTemplates {
  readonly templates: Pick<PinnedTemplates, 'templates' | 'templateSecrets'>;
  readonly event: NewEvent;
}

/**
 * Undefined when none has moved, or no one could say. One request a reference; a commit needs none. Private repositories are not
 * asked: only a runner may read their tokens, and only the API may start one.
 */
export async function movedTemplates(
  deps: Parameters<typeof pinTemplates>[0] & Using<'clock'>,
  record: ManifestRecord,
): Promise<MovedTemplates | undefined> {
  const { namespace, runId, deleting, templates: before = {}, templateSecrets = {} } = record;
  if (deleting || Object.keys(before).length === 0) return undefined;
  const now = await pinTemplates(deps, namespace, manifestOf(record));
  const moved = Object.keys(now.templates).filter((name) => now.templates[name] !== before[name]);
  if (moved.length === 0) return undefined;
  const texts = moved.map((name) => `of provider ${name} from ${before[name] ?? 'none'} to ${now.templates[name]}`);
  const message = `templates moved: ${texts.join('; ')}`.slice(0, 1000);
  const at = deps.clock.now().toISOString();
  return {
    // One that could not be asked keeps its version.
    templates: {
      templates: { ...before, ...now.templates },
      templateSecrets: { ...templateSecrets, ...now.templateSecrets },
    },
    event: { at, runId, level: 'info', kind: 'TemplatesMoved', message },
  };
}
