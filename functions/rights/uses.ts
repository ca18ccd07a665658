/** What functions and runners use, and what that asks of AWS: uses.json, made by scripts/generate-rights.ts, held by a test. */
import uses from './uses.json' with { type: 'json' };

/** `plan-cluster`; the API is one function, `router`. */
export const functionNames: readonly string[] = Object.keys(uses.functions);

/** `port.method` of a function (`plan-cluster`). Throws for one that the file does not know. */
export function functionUses(name: string): readonly string[] {
  return known(uses.functions, name);
}

export function runnerUses(tool: keyof typeof uses.runners): readonly string[] {
  return uses.runners[tool];
}

/** All actions of these uses (`manifests.get`), sorted. Throws on a use that the file does not know. */
export function actionsOf(names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap((name) => known(uses.actions, name)))].sort();
}

function known(table: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] {
  const found = table[name];
  if (found) return found;
  throw new Error(
    `functions/rights/uses.json does not know ${name}: run \`node scripts/generate-rights.ts\` and read its diff`,
  );
}
