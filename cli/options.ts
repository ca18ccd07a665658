/** Options that many commands have: one name, one meaning. */
import { Option } from 'commander';
import { CliError, exitCodes } from './exit-codes.ts';

const namespace = '-n, --namespace <namespace>';

/** Namespace of what a command is about. @default NAME */
export const namespaceOf = (what = 'NAME'): Option => new Option(namespace, `namespace of ${what}`).default('default');

/** For a list; without it, all namespaces. */
export const onlyNamespace = (says = 'only this namespace'): Option => new Option(namespace, says);

/** For a command that reads files. */
export const namespaceOfFiles = (): Option => new Option(namespace, 'namespace of documents that name none');

/** `g3` or `3`, as `kubeloom history` lists them. Throws `CliError`. */
export function generationArgument(text: string): number {
  const [, digits] = /^g?([1-9]\d{0,8})$/.exec(text) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new CliError(`"${text}" is not a generation: write one that \`kubeloom history NAME\` lists`, exitCodes.usage);
}

/** For a command that names a cluster. */
export const manifestOption = (): Option =>
  new Option('--manifest <manifest>', 'the manifest of the cluster, if several have a cluster of that name');

export const jsonOption = (says = 'answer as JSON'): Option => new Option('--json', says);
