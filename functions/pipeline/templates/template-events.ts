/** What is reported about templates that moved: events of the manifest that uses them. */
import type { ManifestRecord, NewEvent } from '#contracts/records.ts';
import { levelOf, type Reported } from '#domain/event-kinds.ts';
import { type MovedTemplate, movedTemplatesText } from '#domain/take-templates.ts';
import type { Using } from '../../ports.ts';

export async function reportTemplates(
  deps: Using<'clock' | 'events.append'>,
  record: ManifestRecord,
  event: Reported<'TemplatesMoved' | 'TemplatesTaken' | 'TemplatesFailed'>,
): Promise<void> {
  const at = deps.clock.now().toISOString();
  const full: NewEvent = { at, runId: record.runId, ...event, level: levelOf(event) };
  await deps.events.append(record, [full]);
}

export const movedEventText = (moved: readonly MovedTemplate[], follows: string): string =>
  `templates moved: ${movedTemplatesText(moved)}; ${follows}`.slice(0, 1800);
