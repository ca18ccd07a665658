/** Which KubeOne installs Kubernetes on local hosts. */
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseJson } from '#domain/json.ts';
import { builtKubeones, partsAreThere, partsDirectory } from '#local/kubernetes/available.ts';
import { askProgram } from './ask-program.ts';
import type { Check } from './check.ts';

/** One that was brought here (KUBELOOM_KUBEONE, or on the PATH) comes before those of `npm run kubernetes:build`, as in a run. */
export async function examineKubeOne(environment: NodeJS.ProcessEnv = process.env): Promise<Check> {
  const about = { name: 'KubeOne for local hosts', for: 'hosts', optional: true } as const;
  if (!partsAreThere())
    return { ...about, ok: false, found: 'none: control planes are simulated', fix: 'npm run kubernetes:build' };
  const brought = environment.KUBELOOM_KUBEONE || onPath(environment.PATH);
  if (!brought) return { ...about, ok: true, found: `${builtKubeones().join(', ')} built in ${partsDirectory()}` };
  const { ok, found, output } = await askProgram(brought, ['version']);
  const version = (parseJson(output) as { kubeone?: { gitVersion?: string } } | undefined)?.kubeone?.gitVersion;
  if (ok && version !== undefined) return { ...about, ok, found: `${version} at ${brought}` };
  const fix = `take ${brought} off the PATH and out of KUBELOOM_KUBEONE, and the one that was built is used`;
  return { ...about, ok: false, found: `${brought}: ${ok ? 'it says no version of KubeOne' : found}`, fix };
}

function onPath(path = ''): string | undefined {
  const isOne = (name: string) => /^kubeone(-\d+(\.\d+)*)?$/.test(name);
  for (const directory of path.split(delimiter).filter((place) => place !== '' && existsSync(place))) {
    const name = readdirSync(directory).find(isOne);
    if (name !== undefined) return join(directory, name);
  }
  return undefined;
}
