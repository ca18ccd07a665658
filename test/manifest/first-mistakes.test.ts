/**
 * What people write wrong in their first manifests, and what users of Claudie bring along: each mistake is refused or warned of at its line with
 * what to write, in the same words by `kubeloom validate` and by the check of the console, and by the schema of editors where a schema can know it.
 */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { apiUnderTest } from '#test/api/api-under-test.ts';
import { kubeloom } from '#test/cli/kubeloom.ts';
import { firstManifest, type Mistake, mistakes } from './first-mistakes.ts';

const schema = JSON.parse(readFileSync(new URL('../../schema/input-manifest.schema.json', import.meta.url), 'utf8'));
const editor = new Ajv({ strict: false, formats: { ipv4: true, ipv6: true } }).compile(schema);

const textOf = ({ instead }: Mistake): string =>
  instead.reduce((text, [good, bad]) => {
    if (!text.includes(good)) throw new Error(`the manifest has no ${good}`);
    return text.replace(good, bad);
  }, firstManifest);

interface Judged {
  readonly path: string;
  readonly reason: string;
  readonly fix: string;
  readonly line?: number;
  readonly severity: string;
}
type Verdict = {
  readonly documents: readonly { readonly faults: readonly Judged[]; readonly warnings: readonly Judged[] }[];
};

const found = ({ documents }: Verdict) =>
  documents.flatMap(({ faults, warnings }) => [
    ...faults.map((one) => ({ ...one, severity: 'error' })),
    ...warnings.map((one) => ({ ...one, severity: 'warning' })),
  ]);

/** Without what only an installation knows: which Secrets there are, which agents report. */
async function byConsole(text: string): Promise<readonly Judged[]> {
  const { json } = await apiUnderTest().call('POST', '/v1/validate', { body: text });
  return found(json as unknown as Verdict).filter(
    ({ reason }) =>
      !/^there is no Secret|cannot build|no autoscaler of cluster|^nothing scales the pool automatically/.test(reason),
  );
}

async function byCommandLine(text: string): Promise<readonly Judged[]> {
  const { stdout } = await kubeloom(['validate', '-f', '-', '--json'], { stdin: text });
  return found(JSON.parse(stdout) as Verdict);
}

const brief = (all: readonly Judged[]) =>
  all.map(({ line, severity, reason, fix }) => `${line} ${severity} ${reason} → ${fix}`);

describe('the first manifest', () => {
  it('the manifest without a mistake is valid everywhere, without a warning', async () => {
    expect(brief(await byCommandLine(firstManifest))).toEqual([]);
    expect(brief(await byConsole(firstManifest))).toEqual([]);
    expect(editor(parse(firstManifest))).toBe(true);
  });

  it.each(Object.entries(mistakes))('%s is found at its line, with what to write', async (_, mistake) => {
    const text = textOf(mistake);
    const [severity, words] = mistake.says;
    const seen = brief(await byCommandLine(text));
    expect(seen).toContainEqual(expect.stringMatching(new RegExp(`^${mistake.line} ${severity} `)));
    expect(seen.filter((one) => one.startsWith(`${mistake.line} ${severity} `)).join('\n')).toContain(words);
    expect(brief(await byConsole(text))).toEqual(seen);
    expect(editor(parse(text))).toBe(mistake.beyondSchema !== undefined);
  });
});
