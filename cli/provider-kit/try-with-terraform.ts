/** The part of the kit that needs Terraform and the plugin: generated roots are validated, and planned with mocks. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { counted } from '#domain/words.ts';
import type { ProviderTemplate } from '#rendering/provider-template.ts';
import type { RootModule } from '#rendering/root-module.ts';
import type { Finding } from './finding.ts';
import { bodies } from './module-source.ts';
import { assessPoolTest, firstRun, type PoolTest, readTestReport, renderPoolTest } from './pool-test.ts';
import { findTerraformProgram, type TerraformProgram, withRoots } from './terraform-program.ts';
import {
  machinesRoot,
  namesRoot,
  readSampleWords,
  type SampleWords,
  sampleInstance,
  samplePools,
  sampleState,
  withKnobs,
} from './trial-roots.ts';
import { type TypeSource, validOf } from './type-source.ts';

export interface Trial {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'not tried';
  /** The reason, or what was observed. */
  readonly details: readonly string[];
}

const hint =
  'nothing could be created with the mocked values; mocks/ can give better ones, see docs/write-a-provider.md';

/** How many instances of the type one cluster has. */
const instanceCounts = [1, 2, 5];

/** Tries everything. Files with faults are not tried: Terraform would only repeat the faults. */
export async function tryWithTerraform(source: TypeSource, findings: readonly Finding[]): Promise<readonly Trial[]> {
  const template = validOf(source.template);
  const notTried = (reason: string): readonly Trial[] => [
    { name: 'Terraform', outcome: 'not tried', details: [reason] },
  ];
  if (template === undefined || findings.some(({ severity }) => severity === 'fault')) {
    return notTried('fix the faults above first');
  }
  const program = await findTerraformProgram();
  if (program === undefined)
    return notTried('there is neither tofu nor terraform on the PATH (KUBELOOM_TERRAFORM names one)');
  const words = readSampleWords(source.directory);
  const roots = generatedRoots(source, template, words);
  const validated = await validate(program, source, roots);
  // Without a plugin there is nothing to mock: planning and applying would make things on this machine.
  const mockable = template.provider !== undefined && source.modules.nodepool !== undefined;
  if (!mockable || validated.some(({ outcome }) => outcome !== 'passed')) return validated;
  return [...validated, await testPools(program, source, template, words)];
}

/** The roots of as many instances as the largest count has: one of machines and one of names for each. */
function generatedRoots(
  { name, modules }: TypeSource,
  template: ProviderTemplate,
  words: SampleWords,
): readonly Readonly<Record<string, RootModule>>[] {
  return Array.from({ length: Math.max(...instanceCounts) }, (_, index) => {
    const instance = sampleInstance(name, index);
    const machines = () => machinesRoot(template, instance, sampleState(instance, samplePools(index), words));
    return {
      ...(modules.nodepool && { [`machines-${instance.name}`]: machines() }),
      ...(modules.dns && { [`dns-${instance.name}`]: namesRoot(template, instance, words) }),
    };
  });
}

async function validate(
  program: TerraformProgram,
  { directory }: TypeSource,
  instances: readonly Readonly<Record<string, RootModule>>[],
): Promise<readonly Trial[]> {
  const atOnce = pLimit(4);
  const roots = Object.fromEntries(
    instances.flatMap((instance) => Object.entries(instance)).map(([name, root]) => [name, { root }]),
  );
  return withRoots(roots, directory, async (place) => {
    const [first = '', ...others] = Object.keys(roots);
    const judge = async (name: string) => [name, await validateOne(program, place(name), name)] as const;
    // The first one fetches the plugin; if it fails, the others would fail as well.
    const started = await judge(first);
    if (started[1].outcome === 'not tried') return [{ name: `${program.name} init`, ...started[1] }];
    const verdicts = new Map([started, ...(await Promise.all(others.map((name) => atOnce(() => judge(name)))))]);
    return instanceCounts.map((count): Trial => {
      const names = instances.slice(0, count).flatMap((instance) => Object.keys(instance));
      const worst = names.flatMap((name) => verdicts.get(name) ?? []).find(({ outcome }) => outcome !== 'passed');
      return {
        name: `${program.name} validate, ${counted(count, 'instance')} (${counted(names.length, 'root')})`,
        outcome: worst?.outcome ?? 'passed',
        details: worst?.details ?? [],
      };
    });
  });
}

async function validateOne(
  program: TerraformProgram,
  place: string,
  name: string,
): Promise<{ readonly outcome: Trial['outcome']; readonly details: readonly string[] }> {
  const init = await program.run(place, ['init', '-backend=false', '-input=false', '-no-color']);
  if (!init.ok)
    return {
      outcome: 'not tried',
      details: [`${name}: init failed; check that the plugin is available here`, ...init.words],
    };
  const { ok, words } = await program.run(place, ['validate', '-no-color']);
  return ok ? { outcome: 'passed', details: [] } : { outcome: 'failed', details: [name, ...words] };
}

async function testPools(
  program: TerraformProgram,
  { name, directory }: TypeSource,
  template: ProviderTemplate,
  words: SampleWords,
): Promise<Trial> {
  const trial = `${program.name} test with a mocked plugin: pools and nodes are added and removed`;
  const instance = sampleInstance(name, 0);
  const state = sampleState(instance, samplePools(0), words);
  const [existing, comes] = [state.pools[1], state.loadBalancers[0]?.pools[0]];
  if (existing === undefined || comes === undefined) throw new Error('the sample cluster has lost its pools');
  const root = withKnobs(machinesRoot(template, instance, state), { grows: existing.id, comes: comes.id });
  const test: PoolTest = {
    existing: existing.id,
    comes: comes.id,
    aliases: aliasesOf(root),
    mocks: existsSync(join(directory, 'mocks')),
  };
  const files = { 'pools.tftest.hcl': renderPoolTest(template, test) };
  return withRoots({ pools: { root, files } }, directory, async (place) => {
    const init = await program.run(place('pools'), ['init', '-backend=false', '-input=false', '-no-color']);
    if (!init.ok) return { name: trial, outcome: 'not tried', details: init.words };
    const { stdout, words } = await program.run(place('pools'), ['test', '-json', '-verbose', '-no-color']);
    const { runs, errors } = readTestReport(stdout);
    const details = [...new Set(errors.map((error) => error.words))];
    // The first run creates what the others compare with: it mostly fails because of the mocked values.
    if (errors.some((error) => error.run === firstRun))
      return { name: trial, outcome: 'not tried', details: [hint, ...details] };
    if (errors.length > 0) return { name: trial, outcome: 'failed', details };
    if (Object.keys(runs).length === 0) return { name: trial, outcome: 'not tried', details: words };
    const faults = assessPoolTest(test, runs);
    return { name: trial, outcome: faults.length > 0 ? 'failed' : 'passed', details: faults };
  });
}

function aliasesOf(root: RootModule): readonly string[] {
  return Object.values(bodies(root.provider)[0] ?? {}).flatMap((blocks) =>
    bodies(blocks).flatMap(({ alias }) => (typeof alias === 'string' ? [alias] : [])),
  );
}
