/** Advisories about packages of Go and Python, by package URL, from the database of OSV (https://google.github.io/osv.dev/api/). */
import { z } from 'zod';
import { type Advisory, type Looked, Severity } from './finding.ts';

export const osvApi = 'https://api.osv.dev';

const Batch = z.object({
  results: z.array(
    z.object({ vulns: z.array(z.object({ id: z.string() })).optional(), next_page_token: z.string().optional() }),
  ),
});

const Vulnerability = z.object({
  id: z.string(),
  summary: z.string().optional(),
  /** Databases other than GitHub's do not say how severe a hole is in one word. */
  database_specific: z.object({ severity: z.string().optional() }).optional(),
});

export interface OsvPackage {
  readonly name: string;
  /** With its version. */
  readonly purl: string;
}

/** `request` answers with parsed JSON, and throws when the server cannot be reached. */
export async function lookUpInOsv(
  packages: readonly OsvPackage[],
  request: (path: string, body?: unknown) => Promise<unknown>,
): Promise<Looked> {
  const source = 'Go and Python';
  try {
    const { results } = Batch.parse(
      await request('/v1/querybatch', { queries: packages.map(({ purl }) => ({ package: { purl } })) }),
    );
    if (results.length !== packages.length || results.some(({ next_page_token: more }) => more))
      return { source, couldNotLook: 'the database did not answer for all packages' };
    const found = results.flatMap(({ vulns = [] }, index) =>
      vulns.map(({ id }) => ({ id, name: packages[index]?.name ?? '' })),
    );
    const advisories = await Promise.all(found.map((one) => advisoryOf(one, request)));
    return { source, advisories, packages: packages.length };
  } catch (error) {
    const words = error instanceof z.ZodError ? 'the database answered in another form' : causeOf(error);
    return { source, couldNotLook: words };
  }
}

async function advisoryOf(
  { id, name }: { readonly id: string; readonly name: string },
  request: (path: string) => Promise<unknown>,
): Promise<Advisory> {
  const { summary = 'no summary', database_specific: more } = Vulnerability.parse(await request(`/v1/vulns/${id}`));
  const severity = Severity.safeParse(more?.severity?.toLowerCase()).data ?? 'unknown';
  return { id, package: name, severity, title: summary };
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
