/** What tflint and checkov found in the modules, held against what the modules acknowledge. */

/** Something that is not as a rule wants it. */
export interface ModuleFinding {
  readonly rule: string;
  /** File, relative to the modules. */
  readonly file: string;
  /** What is meant, e.g. `aws_vpc.network` or `var.tags`. */
  readonly subject: string;
  readonly message: string;
}

/** A place that says why a finding stays. An empty reason does not count. */
export interface Acknowledgement {
  readonly rule: string;
  readonly file: string;
  readonly subject: string;
  readonly reason: string;
}

export interface LintVerdict {
  /** Found, and no acknowledgement gives a reason. */
  readonly open: readonly ModuleFinding[];
  readonly unexplained: readonly Acknowledgement[];
  /** Acknowledges what is not found any more. */
  readonly stale: readonly Acknowledgement[];
  readonly settled: readonly Acknowledgement[];
}

/** `findings` are all there are, as if nothing had been acknowledged. */
export function judgeFindings(
  findings: readonly ModuleFinding[],
  acknowledgements: readonly Acknowledgement[],
): LintVerdict {
  const found = new Set(findings.map(keyOf));
  const acknowledged = new Set(acknowledgements.map(keyOf));
  const needed = acknowledgements.filter((one) => found.has(keyOf(one)));
  return {
    open: unique(findings.filter((finding) => !acknowledged.has(keyOf(finding)))),
    unexplained: unique(needed.filter(({ reason }) => reason === '')),
    stale: unique(acknowledgements.filter((one) => !found.has(keyOf(one)))),
    settled: unique(needed.filter(({ reason }) => reason !== '')),
  };
}

type Place = Pick<ModuleFinding, 'rule' | 'file' | 'subject'>;

/** One of `for_each` is as good as another: `aws_security_group.traffic["ssh"]` is written once. */
const keyOf = ({ rule, file, subject }: Place): string => `${file} ${subject.replace(/\[.*$/, '')} ${rule}`;

function unique<Entry extends Place>(entries: readonly Entry[]): readonly Entry[] {
  const kept = new Map(entries.map((entry) => [keyOf(entry), entry]));
  return [...kept].toSorted(([a], [b]) => a.localeCompare(b)).map(([, entry]) => entry);
}
