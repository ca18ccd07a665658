/** A `terraform test` with mocked plugins: a pool comes, goes and grows, and nothing of another pool may change. Pure. */
import { nodeName } from '#domain/naming.ts';
import { credentialFields, credentialVariable, type ProviderTemplate } from '#rendering/provider-template.ts';
import { poolModule } from '#rendering/terraform-names.ts';
import type { PlannedChange } from './planned-changes.ts';

export interface PoolTest {
  /** Id of the pool that stands all the time. */
  readonly existing: string;
  /** Id of the pool that comes and goes. */
  readonly comes: string;
  /** Aliases of the provider blocks of the root; empty for a single block. */
  readonly aliases: readonly string[];
  /** There is a directory `modules/mocks` with mock data. */
  readonly mocks: boolean;
}

/** The run that makes what all others compare with. */
export const firstRun = 'stands';

/** The file for Terraform. Two nodes stand; the third is the one that comes. */
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

/** What the plans of the runs tell against the modules, as sentences. */
export function assessPoolTest(
  test: PoolTest,
  runs: Readonly<Record<string, readonly PlannedChange[]>>,
): readonly string[] {
  const existing = `module.${poolModule(test.existing)}.`;
  const comes = `module.${poolModule(test.comes)}[0].`;
  const of = (run: string) => runs[run] ?? [];
  const keyed = (number: number) => `["${nodeName(test.existing, number)}"]`;
  const reported = (what: string, changes: readonly PlannedChange[]): readonly string[] =>
    changes.map(({ address, actions }) => `${what}: ${address} would be ${words(actions)}`);
  return [
    ...reported(
      'when a pool comes',
      of('comes').filter(({ address }) => address.startsWith(existing)),
    ),
    ...reported(
      'when a pool goes',
      of('goes').filter(({ address }) => address.startsWith(existing)),
    ),
    ...reported(
      'when a node comes',
      of('grows').filter(({ address }) => touches(address, existing, comes, keyed(3))),
    ),
    ...reported(
      'when a node goes',
      of('shrinks').filter(({ address }) => touches(address, existing, comes, keyed(2))),
    ),
    ...reported('when only the generation is another', of('another_generation')),
    ...reported('when only the first boot script is another', of('another_first_boot')),
    ...['comes', 'is_there', 'goes', 'grows', 'shrinks']
      .filter((run) => run !== 'is_there' && of(run).length === 0)
      .map((run) => `nothing would change in the run "${run}": the test did not test anything`),
  ];
}

/** Belongs to another pool, or to another node than the one that comes or goes. */
function touches(address: string, pool: string, other: string, node: string): boolean {
  return address.startsWith(other) || (address.startsWith(pool) && !address.includes(node));
}

function words(actions: readonly string[]): string {
  if (actions.length > 1) return 'replaced';
  return { create: 'made', update: 'changed', delete: 'removed' }[actions[0] ?? ''] ?? actions.join();
}

const nodes = (pool: string, count: number): string =>
  `{ ${Array.from({ length: count }, (_, at) => `"${nodeName(pool, at + 1)}" = {}`).join(', ')} }`;

function run(name: string, command: string, variables: Readonly<Record<string, string>>): string {
  const given = Object.entries(variables).map(([variable, value]) => `    ${variable} = ${value}`);
  const block = given.length === 0 ? [] : ['  variables {', ...given, '  }'];
  return [`run "${name}" {`, `  command = ${command}`, ...block, '}'].join('\n');
}
