/** The check for known holes: what sources answer, in their real shape, and what of it stops a check. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import rows from '../../scripts/advisories/accepted.json' with { type: 'json' };
import { Accepted, type Looked, verdictOf } from '../../scripts/advisories/finding.ts';
import { readNpmAudit } from '../../scripts/advisories/npm-audit.ts';
import { lookUpInOsv } from '../../scripts/advisories/osv.ts';

/** As npm 11 prints it: a hole of minimist, and a package through which it arrives. */
const report = {
  auditReportVersion: 2,
  vulnerabilities: {
    minimist: {
      name: 'minimist',
      severity: 'critical',
      isDirect: false,
      via: [
        {
          source: 1097678,
          name: 'minimist',
          dependency: 'minimist',
          title: 'Prototype Pollution in minimist',
          url: 'https://github.com/advisories/GHSA-xvch-5gv4-984h',
          severity: 'critical',
          cwe: ['CWE-1321'],
          cvss: { score: 9.8, vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
          range: '<0.2.4',
        },
      ],
      effects: ['mkdirp'],
      range: '<=0.2.3',
      nodes: ['node_modules/minimist'],
      fixAvailable: { name: 'mkdirp', version: '0.5.6', isSemVerMajor: false },
    },
    mkdirp: {
      name: 'mkdirp',
      severity: 'critical',
      isDirect: true,
      via: ['minimist'],
      effects: [],
      range: '0.4.1 - 0.5.1',
      nodes: ['node_modules/mkdirp'],
      fixAvailable: true,
    },
  },
  metadata: {
    vulnerabilities: { info: 0, low: 0, moderate: 0, high: 0, critical: 2, total: 2 },
    dependencies: { prod: 3, dev: 0, optional: 0, peer: 0, peerOptional: 0, total: 2 },
  },
};
const pollution = {
  id: 'GHSA-xvch-5gv4-984h',
  package: 'minimist',
  severity: 'critical' as const,
  title: report.vulnerabilities.minimist.via[0]?.title ?? '',
};
const today = '2026-11-27';

describe('npm', () => {
  it('a report of npm gives each hole once, not the packages through which it arrives', () => {
    expect(readNpmAudit(JSON.stringify(report))).toEqual({ source: 'npm', advisories: [pollution], packages: 2 });
  });

  it('a report without holes is a look', () => {
    const clean = { ...report, vulnerabilities: {} };
    expect(readNpmAudit(JSON.stringify(clean))).toEqual({ source: 'npm', advisories: [], packages: 2 });
  });

  it.each([
    [
      'a registry that offers none',
      JSON.stringify({ message: '405 Method Not Allowed - POST', statusCode: 405, error: { summary: '', detail: '' } }),
      '405 Method Not Allowed',
    ],
    [
      'a registry that cannot be reached',
      JSON.stringify({ error: { code: 'ENOTFOUND', summary: 'request failed', detail: '' } }),
      'request failed',
    ],
    ['a report of another version', JSON.stringify({ ...report, auditReportVersion: 3 }), 'another version'],
    ['no output', '', 'printed no JSON'],
  ])('%s is no look, and says why', (_, stdout, words) => {
    expect(readNpmAudit(stdout)).toEqual({ source: 'npm', couldNotLook: expect.stringContaining(words) });
  });
});

describe('OSV', () => {
  const packages = [
    { name: 'golang.org/x/net', purl: 'pkg:golang/golang.org/x/net@v0.1.0' },
    { name: 'jinja2', purl: 'pkg:pypi/jinja2@3.0.0' },
  ];
  const answers: Readonly<Record<string, unknown>> = {
    '/v1/querybatch': {
      results: [
        { vulns: [{ id: 'GO-2023-1571', modified: '2024-05-20T16:03:47Z' }] },
        { vulns: [{ id: 'GHSA-h5c8-rqwp-cp95', modified: '2024-02-02T00:00:00Z' }] },
      ],
    },
    '/v1/vulns/GO-2023-1571': {
      id: 'GO-2023-1571',
      summary: 'Denial of service via crafted HTTP/2 stream',
      database_specific: { url: 'https://pkg.go.dev/vuln/GO-2023-1571' },
    },
    '/v1/vulns/GHSA-h5c8-rqwp-cp95': {
      id: 'GHSA-h5c8-rqwp-cp95',
      summary: 'Jinja vulnerable to HTML attribute injection',
      severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N' }],
      database_specific: { severity: 'MODERATE' },
    },
  };
  const answer = async (path: string): Promise<unknown> => answers[path];

  it('a hole has the severity of its database, unknown where that has none', async () => {
    const looked = await lookUpInOsv(packages, answer);
    expect(looked).toMatchObject({
      packages: 2,
      advisories: [
        { id: 'GO-2023-1571', package: 'golang.org/x/net', severity: 'unknown' },
        { id: 'GHSA-h5c8-rqwp-cp95', package: 'jinja2', severity: 'moderate' },
      ],
    });
  });

  it.each([
    [
      'cannot be reached',
      async () => Promise.reject(new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND') })),
      'ENOTFOUND',
    ],
    ['answers for fewer packages', async () => ({ results: [{}] }), 'not answer for all'],
    ['has more pages', async () => ({ results: [{ next_page_token: 'x' }, {}] }), 'not answer for all'],
    ['answers something else', async () => ({ error: 'x' }), 'another form'],
  ])('a database that %s is no look', async (_, request, words) => {
    expect(await lookUpInOsv(packages, request)).toMatchObject({ couldNotLook: expect.stringContaining(words) });
  });
});

describe('the verdict', () => {
  const looked = (
    ...advisories: (typeof pollution | (Omit<typeof pollution, 'severity'> & { severity: 'moderate' | 'unknown' }))[]
  ): Looked[] => [{ source: 'npm', advisories }];
  const row = {
    id: pollution.id,
    package: 'minimist',
    reason: 'the parser is never given words of users',
    until: today,
  };

  it('a severe hole stops the check, also one whose severity no one says; a moderate one is printed', () => {
    expect(verdictOf(looked(pollution), [], today)).toMatchObject({ failed: true });
    expect(verdictOf(looked({ ...pollution, severity: 'unknown' }), [], today).failed).toBe(true);
    const moderate = verdictOf(looked({ ...pollution, severity: 'moderate' }), [], today);
    expect([moderate.failed, moderate.lines.join('\n')]).toEqual([false, expect.stringContaining(pollution.id)]);
  });

  it('an accepted hole stops nothing until its day has passed, and only in its package', () => {
    expect(verdictOf(looked(pollution), [row], today).failed).toBe(false);
    const late = verdictOf(looked(pollution), [row], '2026-11-28');
    expect([late.failed, late.lines.join('\n')]).toEqual([
      true,
      expect.stringContaining('it was accepted until 2026-11-27'),
    ]);
    expect(verdictOf(looked(pollution), [{ ...row, package: 'mkdirp' }], today).failed).toBe(true);
  });

  it('a row that nothing needs is named, unless a source could not look', () => {
    expect(verdictOf(looked(), [row], today).lines.join('\n')).toContain('remove its row');
    const blind = verdictOf([{ source: 'npm', couldNotLook: '405' }], [row], today);
    expect(blind).toEqual({ failed: false, lines: ['advisories: npm: could not look: 405'] });
  });

  it('the accepted holes of this clone have a reason and a day', () => {
    expect(() => z.array(Accepted).parse(rows)).not.toThrow();
    expect(Accepted.safeParse({ ...row, until: 'soon' }).success).toBe(false);
    expect(Accepted.safeParse({ ...row, reason: 'fine' }).success).toBe(false);
  });
});
