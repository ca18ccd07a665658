/** A certificate for 127.0.0.1 that signs itself, and its key, as files. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Good for two days, as `<name>.pem` and `<name>.key` in the directory. */
export function selfSigned(directory: string, name: string): { readonly key: string; readonly certificate: string } {
  const [key, certificate] = [join(directory, `${name}.key`), join(directory, `${name}.pem`)];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  return { key, certificate };
}
