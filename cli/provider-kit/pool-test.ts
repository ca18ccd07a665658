/** A `terraform test` with mocked plugins: a pool comes, goes and grows, and nothing of another pool may change. Pure. */

import { parseJson } from '#domain/json.ts';
import { nodeName } from '#domain/naming.ts';
import { credentialFields, credentialVariable, type ProviderTemplate } from '#rendering/provider-template.ts';
import { poolModule } from '#rendering/terraform-names.ts';

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
  const changed: readonly (readonly [run: string, when: string, isFault: (address: string) => boolean])[] = [
    ['comes', 'a pool is added', (address) => address.startsWith(existing)],
    ['goes', 'a pool is removed', (address) => address.startsWith(existing)],
    ['grows', 'a node is added', (address) => touches(address, existing, comes, keyed(3))],
    ['shrinks', 'a node is removed', (address) => touches(address, existing, comes, keyed(2))],
    ['another_generation', 'only the generation changes', () => true],
    ['another_first_boot', 'only the first boot script changes', () => true],
  ];
  return [
    ...changed.flatMap(([run, when, isFault]) =>
      of(run)
        .filter(({ address }) => isFault(address))
        .map(({ address, actions }) => `when ${when}: ${address} would be ${words(actions)}`),
    ),
    ...['comes', 'goes', 'grows', 'shrinks']
      .filter((run) => of(run).length === 0)
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

export interface TrialChange {
  readonly address: string;
  /** `create`, `update`, `delete`; both of them for a replacement. */
  readonly actions: readonly string[];
}

interface ResourceChange {
  readonly address: string;
  readonly mode?: string;
  readonly change: { readonly actions: readonly string[] };
}

interface Message {
  readonly '@testrun'?: string;
  readonly '@message'?: string;
  readonly type?: string;
  readonly test_plan?: {
    readonly resource_changes?: readonly ResourceChange[];
  };
  readonly diagnostic?: { readonly severity: string; readonly summary: string; readonly detail?: string };
}

export interface TestReport {
  /** Run → changes of managed resources; only of runs that plan. */
  readonly runs: Readonly<Record<string, readonly TrialChange[]>>;
  readonly errors: readonly TestError[];
}

interface TestError {
  /** Run in which it came up; absent for the test as a whole. */
  readonly run?: string;
  readonly words: string;
}

/** Reads the lines; those that are not JSON are left out. */
export function readTestReport(output: string): TestReport {
  const messages = output.split('\n').flatMap((line) => (parseJson(line) as Message | undefined) ?? []);
  const plans = messages.flatMap(({ '@testrun': run, test_plan: plan }) =>
    run === undefined || plan === undefined ? [] : [[run, changesOf(plan.resource_changes ?? [])] as const],
  );
  const errors = messages.flatMap(({ '@testrun': run, diagnostic }): readonly TestError[] => {
    if (diagnostic?.severity !== 'error') return [];
    const point = diagnostic.detail?.split('\n').find((line) => line.trim() !== '');
    const words = [diagnostic.summary, point].filter(Boolean).join(': ');
    return [run === undefined ? { words } : { run, words }];
  });
  return { runs: Object.fromEntries(plans), errors };
}

function changesOf(changes: readonly ResourceChange[]): readonly TrialChange[] {
  return changes
    .filter(({ mode, change }) => mode !== 'data' && !['no-op', 'read'].includes(change.actions.join()))
    .map(({ address, change }) => ({ address, actions: change.actions }));
}
