/** Entry of the unit kube-apiserver on a control-plane node: reads its files and serves. */
import { readFileSync } from 'node:fs';
import { startApiServer } from './api-server.ts';
import type { StoreMember } from './object-store.ts';
import { files } from './paths.ts';

const config: { readonly self: StoreMember; readonly kubernetesVersion: string } = JSON.parse(
  readFileSync(files.serverConfig, 'utf8'),
);

await startApiServer({
  ...config,
  seeds: JSON.parse(readFileSync(files.controls, 'utf8')),
  listen: { host: '0.0.0.0', port: 6443 },
  stateFile: files.state,
  certificate: { key: readFileSync(files.serverKey), cert: readFileSync(files.serverCertificate) },
  credentials: { ca: readFileSync(files.ca), token: readFileSync(files.token, 'utf8').trim() },
  silenceMs: 15_000,
  trustMs: 1_000,
});
process.stdout.write(`simulated control plane of ${config.self.name} serves on 6443\n`);
