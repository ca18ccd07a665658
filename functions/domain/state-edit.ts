/**
 * An edit of a Terraform state: what a person removes, moves or imports there while nothing of the cloud is touched. Every text of it is
 * hostile until it is one of these types. What else may be wrong with it: `edit-faults.ts`.
 */
import { z } from 'zod';
import { closedText } from './observed/closed-texts.ts';

/**
 * `module.pool_x.hcloud_server.node["web-01"]`; no module, no wildcard. Instance keys have the escapes that Terraform writes; `${` and
 * `%{` begin templates, and are part of no address.
 */
const one =
  /^(?:module\.[A-Za-z_][A-Za-z0-9_-]{0,199}(?:\[(?:\d{1,9}|"(?:[ !#&-[\]-~]|[$%](?!\{)|\\["\\nrt]|\\u[0-9a-f]{4}){0,500}")\])?\.)*(?:data\.)?(?!(?:module|data)\.)[A-Za-z_][A-Za-z0-9_-]{0,199}\.[A-Za-z_][A-Za-z0-9_-]{0,199}(?:\[(?:\d{1,9}|"(?:[ !#&-[\]-~]|[$%](?!\{)|\\["\\nrt]|\\u[0-9a-f]{4}){0,500}")\])?$/;

/** One instance of a resource, as `kubeloom state list` shows it. Nothing in it is an option, a template or a second line. */
export const InstanceAddress = closedText(1000, one);

/** As the cloud calls a thing: one line of ASCII that is no option of a program. */
const ImportId = closedText(1000, /^(?!-)[!-~](?:[ -~]{0,998}[!-~])?$/);

export const WorkspaceName = closedText(300, /^(?:machines|dns)-[\w.-]+$/);

export const StateChange = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('rm'), addresses: z.array(InstanceAddress).min(1).max(100) }),
  z.strictObject({ kind: z.literal('mv'), from: InstanceAddress, to: InstanceAddress }),
  z.strictObject({ kind: z.literal('import'), address: InstanceAddress, id: ImportId }),
]);
export type StateChange = z.infer<typeof StateChange>;

/** The work of a runner. */
export const StateEditWork = z.strictObject({
  workspace: WorkspaceName,
  /** The state that was read has it; nothing is done with another one. Null: there was no state. */
  serial: z.int().nullable(),
  change: StateChange,
  /** `ann from 203.0.113.7` */
  by: z.string(),
});
export type StateEditWork = z.infer<typeof StateEditWork>;
export type StateEdit = Omit<StateEditWork, 'by'>;
