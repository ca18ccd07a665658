/** `-l`: manifests by their labels, with the equality selectors of kubectl. */
import { isMap } from '#domain/json.ts';
import { CliError, exitCodes } from '../exit-codes.ts';

export type LabelSelector = (document: unknown) => boolean;

/** `env=prod,tier!=web,owner,!old`: all of them have to fit. Throws `CliError`. */
export function manifestSelector(text: string): LabelSelector {
  const rules = text.split(',').map((part) => ruleOf(part.trim()));
  return (document) => {
    const metadata = isMap(document) && isMap(document.metadata) ? document.metadata : {};
    const labels = isMap(metadata.labels) ? metadata.labels : {};
    return rules.every((fits) => fits(labels));
  };
}

function ruleOf(part: string): (labels: Readonly<Record<string, unknown>>) => boolean {
  const [, not, key = '', how, value] = /^(!?)([\w./-]{1,316})(?:(==?|!=)([\w.-]{0,63}))?$/.exec(part) ?? [];
  if (key === '' || (not === '!' && how !== undefined))
    throw new CliError(`-l ${part}: write KEY=VALUE, KEY!=VALUE, KEY or !KEY, separated by commas`, exitCodes.usage);
  if (how === undefined) return (labels) => Object.hasOwn(labels, key) !== (not === '!');
  return (labels) => (labels[key] === value) === (how !== '!=');
}
