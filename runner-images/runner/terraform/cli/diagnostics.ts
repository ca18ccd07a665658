/** Classifies Terraform's diagnostics: its own, those of hooks and provisioners, those of clouds. Pure. */
import { decisive, type Meaning, oneLine, rowFor } from '../../causes/cause-row.ts';
import { cloudMeaning } from '../../causes/cloud-causes.ts';
import { unknownOfTool } from '../../causes/unknown-answers.ts';
import type { ErrorDraft } from '../../stage-failure.ts';
import { nodeOfAddress } from './addresses.ts';
import { ownRows } from './own-causes.ts';

export interface Diagnostic {
  readonly severity: string;
  readonly summary: string;
  readonly detail: string;
  readonly address?: string;
}

const badCredentials: Meaning = {
  class: 'credentials',
  hint: 'Check the Secret of this provider: it may be wrong, expired, or lack a permission. Apply the Secret again.',
};
const hostDown: Meaning = {
  class: 'transient',
  hint: 'The host did not come up. Apply the manifest again; the log of the stage has the host’s own message.',
};

/** Exit codes of provisioners and of hooks: see templates/terraform/README.md. */
const exits: Readonly<Record<number, Meaning>> = {
  3: {
    class: 'user',
    hint: 'A requirement is missing on the machine that creates the hosts; `kubeloom doctor` lists it.',
  },
  5: { class: 'conflict', hint: 'Another program works on the same host.' },
  4: hostDown,
  6: hostDown,
  7: badCredentials,
  8: {
    class: 'user',
    hint: 'The provider does not allow it, for example because of a protection: remove the protection there, or delete it there, then retry.',
  },
};

/** What it means that a hook ended with this code. */
export function exitMeaning(code: number): Meaning {
  return (
    exits[code] ?? {
      class: 'transient',
      hint: 'The log of the stage has its own message.',
    }
  );
}

/** Longest provisioner output that is worth quoting. */
const quotedLines = 3;

/**
 * The error of a failed Terraform command. `code` names the command (`TerraformApplyFailed`); `nodes` are known node
 * names, so that a resource is reported as the host it is; `fallback` is shown when Terraform gave no diagnostic.
 */
export function terraformError(input: {
  readonly code: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly nodes: ReadonlySet<string>;
  readonly workspace: string;
  readonly fallback: string;
}): ErrorDraft {
  const errors = errorsIn(input.diagnostics);
  const { diagnostic, meaning } = decisive(judged(errors)) ?? {
    diagnostic: undefined,
    ...judge({ summary: input.fallback, cause: '' }),
  };
  const address = diagnostic?.address;
  const resource = address === undefined ? undefined : (nodeOfAddress(address, input.nodes) ?? address);
  const others = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return {
    class: meaning.class,
    code: input.code,
    message: (diagnostic === undefined ? oneLine(input.fallback) : wordsOf(diagnostic)) + others,
    resource: resource ?? input.workspace,
    hint: meaning.hint,
  };
}

/** Whether a table has the meaning of the one that decides. */
export const isKnownError = (diagnostics: readonly Diagnostic[], fallback: string): boolean =>
  (decisive(judged(errorsIn(diagnostics))) ?? judge({ summary: fallback, cause: '' })).known;

const errorsIn = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  diagnostics.filter(({ severity }) => severity === 'error');

const judged = (errors: readonly Diagnostic[]) =>
  errors.map((diagnostic) => ({ diagnostic, ...judge(partsOf(diagnostic)) }));

interface Parts {
  readonly summary: string;
  /** Without the script that a provisioner ran. */
  readonly cause: string;
  /** Exit code of a provisioner. */
  readonly exit?: number;
}

const beforeOutput = 'Output:';
const provisioner = /^Error running command /;

/** A provisioner's diagnostic repeats the whole command, whose words mean nothing. */
function partsOf({ summary, detail }: Diagnostic): Parts {
  if (!provisioner.test(detail)) return { summary, cause: detail };
  const at = detail.indexOf(beforeOutput);
  const command = at < 0 ? detail : detail.slice(0, at);
  const exit = /exit status (\d{1,3})\D{0,3}$/.exec(command.trimEnd())?.[1];
  return {
    summary,
    cause: at < 0 ? '' : detail.slice(at + beforeOutput.length),
    ...(exit !== undefined && { exit: Number(exit) }),
  };
}

/** From the most certain sign to the least. */
function judge({ summary, cause, exit }: Parts): { readonly meaning: Meaning; readonly known: boolean } {
  const found =
    rowFor(ownRows, [`${summary}\n${cause}`]) ??
    (exit === undefined ? undefined : exits[exit]) ??
    cloudMeaning(`${summary}\n${cause}`);
  return { meaning: found ?? unknownOfTool, known: found !== undefined };
}

/** Terraform's summary and the main point of its detail: the last output of a provisioner instead of the command it ran. */
function wordsOf(diagnostic: Diagnostic): string {
  const { summary, cause } = partsOf(diagnostic);
  if (cause === diagnostic.detail) return [summary, cause].map(oneLine).filter(Boolean).join(': ');
  const last = cause
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(-quotedLines);
  return [summary, last.length > 0 ? last.join('; ') : diagnostic.detail].map(oneLine).filter(Boolean).join(': ');
}
