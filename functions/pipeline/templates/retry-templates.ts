/** Templates of an automatic retry: those that public repositories name now, where that destroys nothing. */
import type { ManifestRecord } from '#contracts/records.ts';
import type { Using } from '../../ports.ts';
import type { pinTemplates } from '../manifests/template-versions.ts';
import { heldBecause } from './held-templates.ts';
import { destroysNothing, movedTemplates, type Pins, type PlanningPorts, pinsWith } from './moved-templates.ts';
import { movedEventText, reportTemplates } from './template-events.ts';

type Ports = Parameters<typeof pinTemplates>[0] & PlanningPorts & Using<'clock' | 'events.append'>;

/** Undefined: those that it has. */
export async function retryTemplates(deps: Ports, record: ManifestRecord): Promise<Pins | undefined> {
  if (record.deleting || heldBecause(record) !== undefined) return undefined;
  const found = await movedTemplates(deps, record);
  const moved = found?.moved.filter(({ key, to }) => !(record.behind?.[key]?.failed && record.behind[key].to === to));
  if (found === undefined || moved === undefined || moved.length === 0) return undefined;
  const pins = pinsWith(record, moved, found.now);
  if (!(await destroysNothing(deps, record, pins))) return undefined;
  const message = movedEventText(moved, 'the retry uses that');
  await reportTemplates(deps, record, { kind: 'TemplatesTaken', message });
  return pins;
}
