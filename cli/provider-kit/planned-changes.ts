/** What `terraform test -json -verbose` says that its runs would change. Pure. */

export interface PlannedChange {
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
  readonly runs: Readonly<Record<string, readonly PlannedChange[]>>;
  readonly errors: readonly string[];
}

/** Reads the lines; what is no JSON is left out. */
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
  const errors = messages.flatMap(({ diagnostic }) =>
    diagnostic?.severity === 'error'
      ? [
          [diagnostic.summary, diagnostic.detail?.split('\n').find((line) => line.trim() !== '')]
            .filter(Boolean)
            .join(': '),
        ]
      : [],
  );
  return { runs: Object.fromEntries(plans), errors: [...new Set(errors)] };
}

type ResourceChange = {
  readonly address: string;
  readonly mode?: string;
  readonly change: { readonly actions: readonly string[] };
};

function changesOf(changes: readonly ResourceChange[]): readonly PlannedChange[] {
  return changes
    .filter(({ mode, change }) => mode !== 'data' && !['no-op', 'read'].includes(change.actions.join()))
    .map(({ address, change }) => ({ address, actions: change.actions }));
}
