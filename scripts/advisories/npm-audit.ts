/** Advisories about npm packages, as `npm audit --json` reports them (version 2 of its report). */
import { z } from 'zod';
import { type Advisory, type Looked, Severity } from './finding.ts';

const NpmAdvisory = z.object({
  source: z.number(),
  name: z.string(),
  title: z.string(),
  url: z.string(),
  severity: Severity,
});

const NpmReport = z.object({
  auditReportVersion: z.literal(2),
  /** A text in `via` is a package through which the hole arrives: its own entry has the advisory. */
  vulnerabilities: z.record(z.string(), z.object({ via: z.array(z.union([z.string(), NpmAdvisory])) })),
  metadata: z.object({ dependencies: z.object({ total: z.number() }) }),
});

const NpmFault = z.object({ message: z.string().optional(), error: z.object({ summary: z.string() }).optional() });

/** `stdout` of npm, which ends with 1 both when it found something and when it could not look. */
export function readNpmAudit(stdout: string): Looked {
  const source = 'npm';
  let answer: unknown;
  try {
    answer = JSON.parse(stdout);
  } catch {
    return { source, couldNotLook: `npm audit printed no JSON, but ${JSON.stringify(stdout.slice(0, 200))}` };
  }
  const report = NpmReport.safeParse(answer);
  if (!report.success) {
    const fault = NpmFault.safeParse(answer).data;
    const words = fault?.message || fault?.error?.summary || 'npm audit printed a report of another version';
    return { source, couldNotLook: words.slice(0, 300) };
  }
  const { vulnerabilities, metadata } = report.data;
  const direct = Object.values(vulnerabilities).flatMap(({ via }) => via.filter((one) => typeof one !== 'string'));
  const advisories = new Map(direct.map((one) => [`${one.source} ${one.name}`, advisoryOf(one)]));
  return { source, advisories: [...advisories.values()], packages: metadata.dependencies.total };
}

/** The last part of the address is the id: `https://github.com/advisories/GHSA-…`. */
function advisoryOf({ name, title, url, severity }: z.infer<typeof NpmAdvisory>): Advisory {
  return { id: url.slice(url.lastIndexOf('/') + 1), package: name, severity, title };
}
