/** What a fixture that was read by people says of the bindings that it is held against. */
import { existsSync } from 'node:fs';
import { bindingsFile, readBindings } from './make-bindings.ts';
import { bridgePackages } from './packages.ts';

export interface Held {
  readonly what: string;
  /** The differences that are right, if any. */
  readonly note: string | undefined;
}

/** Undefined where there are no bindings. */
export function heldAgainst(type: string): Held | undefined {
  if (!existsSync(bindingsFile(type))) return undefined;
  const { package: name, version, made, release } = readBindings(type);
  const explained = Object.entries(bridgePackages[type]?.explained ?? {});
  return {
    what: `held against ${name}@${version} of ${made}, bindings that Pulumi's bridge generated from the real schema (release: ${release}): all names, types, what must and what can be set, what is computed and sensitive at the top; they do not tell lists from sets, blocks from attributes, nor what has a default`,
    note: explained.length
      ? `differs from the bindings, rightly: ${explained.map(([difference, reason]) => `${difference} (${reason})`).join('; ')}`
      : undefined,
  };
}
