/** Classifies Terraform's diagnostics: one table from its messages to our error classes. Pure. */
import type { StageError } from '#contracts/stage.ts';
import type { FailureRow } from '../stage-failure.ts';
import { nodeOfAddress } from './addresses.ts';

export interface Diagnostic {
  readonly severity: string;
  readonly summary: string;
  readonly detail: string;
  readonly address?: string;
}

type Meaning = Omit<FailureRow, 'pattern'>;

const badCredentials: Meaning = {
  class: 'credentials',
  hint: 'Check the Secret of this provider: it may be wrong, expired, or lack a permission. Apply the Secret again.',
};
const hostDown: Meaning = {
  class: 'transient',
  hint: 'The host did not come up. Apply the manifest again; the log of the stage has the host’s own message.',
};

/** Exit codes of provisioners and of hooks: see templates/terraform/README.md. */
const exits: Readonly<Record<number, Meaning>> = {
  3: {
    class: 'user',
    hint: 'A requirement is missing on the machine that creates the hosts; `kubeloom doctor` lists it.',
  },
  5: { class: 'conflict', hint: 'Another program works on the same host; Kubeloom retries automatically.' },
  4: hostDown,
  6: hostDown,
  7: badCredentials,
  8: {
    class: 'user',
    hint: 'The provider does not allow it, for example because of a protection: remove the protection there, or delete it there, then retry.',
  },
};

/** What it means that a hook ended with this code. */
export function exitMeaning(code: number): Meaning {
  return (
    exits[code] ?? {
      class: 'transient',
      hint: 'Kubeloom retries automatically; the log of the stage has its own message.',
    }
  );
}

/** First match wins: the more certain a sign, the higher its row. */
const table: readonly FailureRow[] = [
  {
    class: 'conflict',
    pattern: /error acquiring the state lock|PreconditionFailed|ConditionalRequestConflict/i,
    hint: 'Another program works on the same Terraform state. Kubeloom retries automatically; if it keeps failing, check who holds the lock.',
  },
  ...Object.entries(exits).map(([code, meaning]) => ({
    ...meaning,
    pattern: new RegExp(`local-exec[\\s\\S]{0,4000}exit status ${code}\\b`, 'i'),
  })),
  {
    class: 'transient',
    // AWS calls its throttling RequestLimitExceeded, which is not a quota.
    pattern: /throttl|rate.?limit|request ?limit ?exceeded|too ?many ?requests|\b429\b/i,
    hint: 'The provider is rate-limiting requests. Kubeloom retries automatically.',
  },
  {
    class: 'quota',
    pattern:
      /quota|limit ?exceeded|resource_limit_exceeded|exceeded (the |your )?(limit|maximum)|exceed your [\w ]{0,100}limit|TooMany(FloatingIps|Instances)|limit (has been )?reached/i,
    hint: 'Request a higher limit from the provider, or use smaller or fewer machines, then apply again.',
  },
  {
    class: 'capacity',
    pattern:
      /Insufficient(Instance|Host)?Capacity|out of (host )?capacity|RESOURCE_POOL_EXHAUSTED|not have enough resources|SkuNotAvailable|resource_unavailable|AllocationFailed|Overconstrained\w{0,100}AllocationRequest|no valid host was found|(server type|size|shape|flavor|zone) [^\n]{0,300}(unavailable|not available)|sold out/i,
    hint: 'The provider has no such machine available here. Choose another server type, zone or region, or retry later.',
  },
  {
    ...badCredentials,
    pattern:
      /InvalidClientTokenId|SignatureDoesNotMatch|InvalidAccessKeyId|ExpiredToken|AuthFailure|NotAuthenticated|authentication (failed|required|error)|unable to authenticate|could not find default credentials|no valid credential|invalid[_ -]?(grant|token|credentials|api key)|unauthorized|\b401\b|AccessDenied|NotAuthorizedOrNotFound|Forbidden|permission denied|not authorized|\b403\b/i,
  },
  {
    class: 'transient',
    pattern:
      /time[d ]?-?out|deadline exceeded|connection (reset|refused)|TLS handshake|unexpected EOF|no such host|network is unreachable|(status|code|https?|error|got)\W{0,3}50[0234]\b|: 50[0234] \(|\b50[0234] (internal|bad|service|gateway)|service unavailable|internal (server )?error|try again/i,
    hint: 'Kubeloom retries automatically.',
  },
  {
    class: 'bug',
    pattern:
      /unsupported (argument|block type)|missing required argument|reference to undeclared|invalid reference|module not (installed|found)|unreadable module|no value for required variable|inconsistent (result|final plan)|missing newline|invalid expression/i,
    hint: 'The templates of this provider type do not fit. Report it with the log of the stage.',
  },
  {
    class: 'conflict',
    pattern: /already exists|AlreadyExists|uniqueness_error|name is already used|Duplicate|\b409\b/i,
    hint: 'The account already has a resource of that name that Kubeloom did not create. Remove or rename it, then apply again.',
  },
  {
    class: 'user',
    pattern:
      /InvalidAMIID|InvalidParameter|invalid_input|invalid (image|server type|region|zone|location|machine type|value)|(image|(server|instance|machine) type|flavor|shape|region|zone|location)\b[^\n]{0,300}not (found|exist|supported)|not a valid|could not find|\b404\b|NotFound/i,
    hint: 'Check server type, image, region and zone of the node pool against what the provider offers.',
  },
];

const unknown: FailureRow = {
  class: 'transient',
  pattern: /$/,
  hint: 'The log of the stage has the output of Terraform.',
};

/** Longest provisioner output that is worth quoting. */
const quotedLines = 3;

/**
 * The error of a failed Terraform command. `code` names the command (`TerraformApplyFailed`); `nodes` are known node
 * names, so that a resource is reported as the host it is; `fallback` is shown when Terraform gave no diagnostic.
 */
export function terraformError(input: {
  readonly code: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly nodes: ReadonlySet<string>;
  readonly workspace: string;
  readonly fallback: string;
}): Omit<StageError, 'retryable'> {
  const errors = input.diagnostics.filter(({ severity }) => severity === 'error');
  const judged = errors.map((diagnostic) => ({
    diagnostic,
    row: rowOf(`${diagnostic.summary}\n${diagnostic.detail}`),
  }));
  const worst = judged
    .toSorted((a, b) => table.indexOf(a.row) - table.indexOf(b.row))
    .find(({ row }) => row !== unknown);
  const chosen = worst ?? judged[0] ?? { diagnostic: undefined, row: rowOf(input.fallback) };
  const { diagnostic, row } = chosen;
  const address = diagnostic?.address;
  const resource = address === undefined ? undefined : (nodeOfAddress(address, input.nodes) ?? address);
  const others = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return {
    class: row.class,
    code: input.code,
    message: (diagnostic === undefined ? input.fallback : wordsOf(diagnostic)) + others,
    resource: resource ?? input.workspace,
    hint: row.hint,
  };
}

function rowOf(text: string): FailureRow {
  return table.find(({ pattern }) => pattern.test(text)) ?? unknown;
}

const beforeOutput = 'Output:';

/** Terraform's summary and the main point of its detail: the last output of a provisioner instead of the command it ran. */
function wordsOf({ summary, detail }: Diagnostic): string {
  const at = detail.indexOf(beforeOutput);
  const output = at < 0 ? '' : detail.slice(at + beforeOutput.length);
  const last = output
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(-quotedLines);
  const point = last.length > 0 ? last.join('; ') : detail.replaceAll(/\s+/g, ' ').trim();
  return [summary, point].filter(Boolean).join(': ');
}
