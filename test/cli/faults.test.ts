/** Faults as people and editors read them: `file:line:column`, items by name, the lines of a YAML mistake. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiProblem } from '#cli/connection/api-problem.ts';
import { faultLines, located } from '#cli/print/faults.ts';
import { readDocuments } from '#cli/submission/documents.ts';
import { readObjects } from '#documents/read-objects.ts';
import { validateDocuments } from '#domain/documents/validate-documents.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubeloom-faults-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function linesOf(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  const { documents, faults } = await readDocuments([file]);
  const verdicts = validateDocuments(
    documents.map(({ document }) => document),
    { readObjects },
  );
  const judged = verdicts.flatMap((verdict, at) => located(documents[at]?.document, verdict.faults));
  return faultLines([...faults.flatMap((one) => one.faults), ...judged], 'fault')
    .join('\n')
    .replaceAll(`${folder}/`, '');
}

const pool = `kind: TemplateGitReference
apiVersion: claudie.io/v1beta1
---
apiVersion: kubeloom.dev/v1
kind: InputManifest
metadata: { name: shop }
spec:
  nodePools:
    dynamic:
      - name: control
        count: -3
`;

describe('the lines of a fault', () => {
  it('KA-15: the lines of a fault name file, line and column, and list items by their name', async () => {
    expect(await linesOf('shop.yaml', pool)).toContain('fault  shop.yaml:11:9  nodePools.dynamic "control".count\n');
  });

  it('a fault from the API is shown at its place in the file, not in the JSON that was sent', async () => {
    const file = join(folder, 'refused.yaml');
    await writeFile(file, pool);
    const [, sent] = (await readDocuments([file])).documents;
    const problem = { type: '', title: '', status: 422, detail: 'no', instance: '', code: 'InvalidManifest' };
    const faults = [{ path: 'spec.nodePools.dynamic[0].count', reason: 'is negative', line: 1, column: 99 }];
    const { message } = new ApiProblem({ ...problem, faults }, sent?.document);
    expect(message).toContain(`${file}:11:9  nodePools.dynamic "control".count`);
  });

  it('a mistake in YAML is shown once, with three lines and a mark', async () => {
    const text = 'a:\n  - name: b\n    c: 1\n   d: 2\ne: 3\n';
    expect(await linesOf('slip.yaml', text)).toMatchInlineSnapshot(`
      "  fault  slip.yaml:4:1
               sequence item without - indicator
               2 |   - name: b
               3 |     c: 1
               4 |    d: 2
                 | ^
               → correct the YAML here; usually this line or one above it is indented wrongly"
    `);
  });

  it('a tab in YAML is named as the mistake', async () => {
    const lines = await linesOf('tab.yaml', 'a:\n\tb: 1\n\tc: 2\n');
    expect(lines).toContain('tab.yaml:2:1');
    expect(lines).toContain('2 | →b: 1');
    expect(lines).toContain('indent with spaces; YAML takes no tabs');
    expect(lines.match(/fault/g)).toHaveLength(1);
  });

  it('a fault in a Secret shows nothing of the document', async () => {
    const text = `${pool}---\nkind: Secret\nstringData:\n  token: kumquat\n   user: "lychee\n`;
    const lines = await linesOf('secret.yaml', text);
    expect(lines).toMatch(/secret.yaml:1[56]:/);
    expect(lines).not.toMatch(/kumquat|lychee/);
  });
});
