/** The content of uses.json: what handlers declare, what runners may call, and which actions adapters send for that. */

import { apiUses } from '#functions/rights/api-uses.ts';
import { portActions } from '#functions/rights/port-actions.ts';
import { usesOfTool } from '#functions/rights/runner-rights.ts';
import { functionFiles } from '../bundle-functions.ts';

type Uses = Readonly<Record<string, readonly string[]>>;

export interface DerivedUses {
  /** `port.method` by function. */
  readonly functions: Uses;
  /** `port.method` by tool. */
  readonly runners: Uses;
  /** IAM actions by `port.method`. */
  readonly actions: Uses;
}

export async function deriveUses(): Promise<DerivedUses> {
  const functions = await Promise.all(
    Object.entries(functionFiles).map(async ([name, file]) => [name, await declared(file)] as const),
  );
  return {
    functions: Object.fromEntries(functions),
    runners: Object.fromEntries(Object.entries(usesOfTool).map(([tool, uses]) => [tool, [...uses].sort()])),
    actions: portActions,
  };
}

/** One function serves all routes. */
async function declared(file: string): Promise<readonly string[]> {
  if (file === 'api/router.ts') return apiUses;
  const { handler } = await import(/* @vite-ignore */ new URL(`../../functions/${file}`, import.meta.url).href);
  return handler.uses;
}
