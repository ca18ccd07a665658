/** The changes that the runs of `terraform test -json -verbose` plan. Pure. */

export interface TrialChange {
  readonly address: string;
  /** `create`, `update`, `delete`; both of them for a replacement. */
  readonly actions: readonly string[];
}

interface Message {
  readonly '@testrun'?: string;
  readonly '@message'?: string;
  readonly type?: string;
  readonly test_plan?: {
    readonly resource_changes?: readonly { address: string; mode?: string; change: { actions: string[] } }[];
  };
  readonly diagnostic?: { readonly severity: string; readonly summary: string; readonly detail?: string };
}

export interface TestReport {
  /** Run → changes of managed resources; only of runs that plan. */
  readonly runs: Readonly<Record<string, readonly TrialChange[]>>;
  readonly errors: readonly TestError[];
}

export interface TestError {
  /** Run in which it came up; absent for the test as a whole. */
  readonly run?: string;
  readonly words: string;
}

/** Reads the lines; those that are not JSON are left out. */
export function readTestReport(output: string): TestReport {
  const messages = output.split('\n').flatMap((line): readonly Message[] => {
    try {
      return [JSON.parse(line) as Message];
    } catch {
      return [];
    }
  });
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

type ResourceChange = {
  readonly address: string;
  readonly mode?: string;
  readonly change: { readonly actions: readonly string[] };
};

function changesOf(changes: readonly ResourceChange[]): readonly TrialChange[] {
  return changes
    .filter(({ mode, change }) => mode !== 'data' && !['no-op', 'read'].includes(change.actions.join()))
    .map(({ address, change }) => ({ address, actions: change.actions }));
}
