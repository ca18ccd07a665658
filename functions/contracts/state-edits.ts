/** Edits of Terraform states, as people send them, and as runs and runners get them. */
import { z } from 'zod';
import { StateChange, StateEditWork, WorkspaceName } from '#domain/state-edit.ts';

/** Body of a request. */
export const StateEditRequest = z
  .strictObject({
    workspace: WorkspaceName.describe('`machines-` with a provider instance, or `dns-` with a load balancer'),
    serial: StateEditWork.shape.serial.describe(
      'that of the state that was read; nothing is done with another one. null: it has no state',
    ),
    change: StateChange.describe(
      '`rm`: stop managing resources, which keep existing; `mv`: give one another address; `import`: manage one that exists, by the id that its provider gave it. Each address is one resource, as `kubeloom state list` shows it',
    ),
  })
  .meta({ id: 'StateEditRequest' });

/** The edit that a run makes: written before it starts, and next to its waypoint for the runner. */
export const StoredStateEdit = z.strictObject({ schema: z.literal(1), edit: StateEditWork });

/** As it is stored. Throws for what is not one. */
export const readStateEdit = (text: string | undefined): StateEditWork =>
  StoredStateEdit.parse(JSON.parse(text ?? 'null')).edit;

export const stateEditKeys = {
  /** `runs/<namespace>/<manifest>/<run>/state-edit.json` */
  ofRun: ({ namespace, name, runId }: { readonly namespace: string; readonly name: string; readonly runId: string }) =>
    `runs/${namespace}/${name}/${runId}/state-edit.json`,
  ofWaypoint: (prefix: string) => `${prefix}/state-edit.json`,
} as const;
