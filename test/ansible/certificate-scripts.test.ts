/** What the script of a check reports of the certificates on a machine: the certificates of files that are there, and never a key. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { certificateTimes } from '#documents/pem.ts';
import { simulatedCertificate } from '#runner/sim/simulated-certificate.ts';
import { encoded } from '#test/fakes/kubeconfigs.ts';
import { scriptDirectory, scriptOf } from './script-directory.ts';

const { place, environment } = scriptDirectory();
const time = { from: '2026-01-01T00:00:00Z', until: '2027-01-01T00:00:00Z' };
const { certificate, key } = simulatedCertificate('kubernetes', time);

function reported(...files: readonly string[]) {
  const script = `${scriptOf('common.sh')}\n${scriptOf('certificates.sh').replaceAll('/etc/kubernetes', place())}`;
  const env = { ...environment(), KUBELOOM_CERTIFICATES: files.map((name) => place(name)).join(' ') };
  const output = execFileSync('bash', [], { input: script, encoding: 'utf8', env });
  const found = JSON.parse(/^fact: certificates=(.*)$/m.exec(output)?.[1] ?? 'null') as Record<string, string>;
  return {
    output,
    ends: Object.entries(found).map(([name, text]) => [name.replace(`${place()}/`, ''), certificateTimes(text)]),
  };
}
const whole = [{ from: '2026-01-01T00:00:00.000Z', until: '2027-01-01T00:00:00.000Z' }];

describe('the script that reports certificates', () => {
  it('certificates are reported as they are, alone, with a chain or with their key, and from a kubeconfig', () => {
    mkdirSync(place('pki'));
    writeFileSync(place('pki/plain.crt'), certificate);
    writeFileSync(place('pki/chain.crt'), `${certificate}${certificate}`);
    writeFileSync(place('pki/kubelet.pem'), `${certificate}${key}`);
    writeFileSync(place('pki/reversed.pem'), `${key}${certificate}`);
    for (const [name, quote] of [
      ['plain.conf', ''],
      ['quoted.conf', '"'],
    ] as const)
      writeFileSync(
        place(name),
        `users:\n- user:\n    client-certificate-data: ${quote}${encoded(certificate)}${quote}\r\n    client-key-data: ${encoded(key)}\n`,
      );
    const names = [
      'pki/plain.crt',
      'pki/chain.crt',
      'pki/kubelet.pem',
      'pki/reversed.pem',
      'plain.conf',
      'quoted.conf',
    ];
    const { output, ends } = reported(...names, 'pki/absent.crt');
    expect(ends).toEqual(names.map((name) => [name, whole]));
    expect(output).not.toContain(encoded(key));
    expect(Buffer.from(output.replaceAll(/[^A-Za-z0-9+/=]/g, ''), 'base64').toString('latin1')).not.toContain(
      'PRIVATE KEY',
    );
    expect(output).not.toContain('renewing');
  });

  it('files without a certificate are left out, and a renewal that was interrupted is reported', () => {
    writeFileSync(place('kubelet.conf'), 'users:\n- user:\n    client-certificate: /var/lib/kubelet/pki/x.pem\n');
    writeFileSync(place('empty.crt'), '');
    writeFileSync(place('other.crt'), 'no certificate\n');
    writeFileSync(place('kubeloom-renewal'), 'restart\n');
    const { output, ends } = reported('kubelet.conf', 'empty.crt', 'other.crt');
    expect(ends).toEqual([]);
    expect(output).toContain('fact: renewing=true');
  });
});
