/** A `terraform test` with mocked plugins: a pool comes, goes and grows, and nothing of another pool may change. Pure. */
import { nodeName } from '#domain/naming.ts';
import { credentialFields, credentialVariable, type ProviderTemplate } from '#rendering/provider-template.ts';
import { poolModule } from '#rendering/terraform-names.ts';
import type { TrialChange } from './planned-changes.ts';

export interface PoolTest {
  /** Id of the pool that exists all the time. */
  readonly existing: string;
  /** Id of the pool that comes and goes. */
  readonly comes: string;
  /** Aliases of the provider blocks of the root; empty for a single block. */
  readonly aliases: readonly string[];
  /** There is a directory `modules/mocks` with mock data. */
  readonly mocks: boolean;
}

/** The run that creates what all others compare with. */
export const firstRun = 'exists';

/** The file for Terraform. Two nodes exist; the third is added. */
export function renderPoolTest(template: ProviderTemplate, test: PoolTest): string {
  const plugin = template.provider?.name;
  const others = Object.keys(template.alsoRequired);
  const source = test.mocks ? ['  source = "./modules/mocks"'] : [];
  const mock = (name: string, alias?: string): string =>
    [`mock_provider "${name}" {`, ...(alias ? [`  alias = "${alias}"`] : []), ...source, '}'].join('\n');
  const mocked = [
    ...(plugin === undefined
      ? []
      : test.aliases.length > 0
        ? test.aliases.map((alias) => mock(plugin, alias))
        : [mock(plugin)]),
    ...others.map((name) => mock(name)),
  ];
  const secrets = credentialFields(template).map((field) => `  ${credentialVariable(field)} = "made-up"`);
  return [
    ...mocked,
    `variables {\n${secrets.join('\n')}\n}`,
    run(firstRun, 'apply', {}),
    run('comes', 'plan', { with_pool: 'true' }),
    run('is_there', 'apply', { with_pool: 'true' }),
    run('goes', 'plan', {}),
    run('grows', 'plan', { with_pool: 'true', grown_nodes: nodes(test.existing, 3) }),
    run('shrinks', 'plan', { with_pool: 'true', grown_nodes: nodes(test.existing, 1) }),
    run('another_generation', 'plan', { with_pool: 'true', generation: '"2"' }),
    run('another_first_boot', 'plan', { with_pool: 'true', first_boot: '"exit 0"' }),
    '',
  ].join('\n\n');
}

/** The faults of the modules that the plans of the runs show, as sentences. */
export function assessPoolTest(
  test: PoolTest,
  runs: Readonly<Record<string, readonly TrialChange[]>>,
): readonly string[] {
  const existing = `module.${poolModule(test.existing)}.`;
  const comes = `module.${poolModule(test.comes)}[0].`;
  const of = (run: string) => runs[run] ?? [];
  const keyed = (number: number) => `["${nodeName(test.existing, number)}"]`;
  const reported = (what: string, changes: readonly TrialChange[]): readonly string[] =>
    changes.map(({ address, actions }) => `${what}: ${address} would be ${words(actions)}`);
  return [
    ...reported(
      'when a pool is added',
      of('comes').filter(({ address }) => address.startsWith(existing)),
    ),
    ...reported(
      'when a pool is removed',
      of('goes').filter(({ address }) => address.startsWith(existing)),
    ),
    ...reported(
      'when a node is added',
      of('grows').filter(({ address }) => touches(address, existing, comes, keyed(3))),
    ),
    ...reported(
      'when a node is removed',
      of('shrinks').filter(({ address }) => touches(address, existing, comes, keyed(2))),
    ),
    ...reported('when only the generation changes', of('another_generation')),
    ...reported('when only the first boot script changes', of('another_first_boot')),
    ...['comes', 'is_there', 'goes', 'grows', 'shrinks']
      .filter((run) => run !== 'is_there' && of(run).length === 0)
      .map((run) => `nothing would change in the run "${run}": the test did not test anything`),
  ];
}

/** Belongs to another pool, or to another node than the one that is added or removed. */
function touches(address: string, pool: string, other: string, node: string): boolean {
  return address.startsWith(other) || (address.startsWith(pool) && !address.includes(node));
}

function words(actions: readonly string[]): string {
  if (actions.length > 1) return 'replaced';
  return { create: 'created', update: 'changed', delete: 'removed' }[actions[0] ?? ''] ?? actions.join();
}

const nodes = (pool: string, count: number): string =>
  `{ ${Array.from({ length: count }, (_, at) => `"${nodeName(pool, at + 1)}" = {}`).join(', ')} }`;

function run(name: string, command: string, variables: Readonly<Record<string, string>>): string {
  const given = Object.entries(variables).map(([variable, value]) => `    ${variable} = ${value}`);
  const block = given.length === 0 ? [] : ['  variables {', ...given, '  }'];
  return [`run "${name}" {`, `  command = ${command}`, ...block, '}'].join('\n');
}
