/** Files of releases of Cluster API, built by kustomize out of the `config` folders of its public Go modules. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceFile } from '#domain/planes/management-plane.ts';

const modules = {
  before: 'sigs.k8s.io/cluster-api@v1.10.4',
  after: 'sigs.k8s.io/cluster-api@v1.11.1',
  docker: 'sigs.k8s.io/cluster-api/test@v1.11.1',
  newerDocker: 'sigs.k8s.io/cluster-api/test@v1.13.7',
  certManager: 'github.com/cert-manager/cert-manager@v1.18.2',
} as const;
type Module = keyof typeof modules;

const folders = {
  core: 'config/default',
  bootstrap: 'bootstrap/kubeadm/config/default',
  controlPlane: 'controlplane/kubeadm/config/default',
  infrastructure: 'infrastructure/docker/config/default',
} as const;

/** Keeps files under their sums, as `KUBELOOM_DOCUMENTS` has them. */
export class Releases {
  readonly #directory: string;
  readonly #kubectl: string;
  readonly #modules = new Map<Module, string>();

  constructor({ directory, kubectl }: { readonly directory: string; readonly kubectl: string }) {
    this.#directory = directory;
    this.#kubectl = kubectl;
  }

  /** `more`: YAML after the file of the release. */
  components(module: Module, folder: keyof typeof folders, more = ''): SourceFile {
    const words = ['kustomize', join(this.#moduleDirectory(module), folders[folder])];
    return this.keep(`${execFileSync(this.#kubectl, words, { maxBuffer: 50_000_000 })}${more}`);
  }

  metadata(module: Module): SourceFile {
    return this.keep(readFileSync(join(this.#moduleDirectory(module), 'metadata.yaml'), 'utf8'));
  }

  /** The definitions of cert-manager alone, with its name in the place of templates of its chart. */
  certificates(): SourceFile {
    const folder = join(this.#moduleDirectory('certManager'), 'deploy', 'crds');
    const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
    const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'));
    return this.keep(texts.map((text) => text.replaceAll(/'\{\{.*\}\}'/g, 'cert-manager')).join('\n---\n'));
  }

  keep(text: string): SourceFile {
    const sha256 = createHash('sha256').update(text).digest('hex');
    writeFileSync(join(this.#directory, sha256), text);
    return { url: `https://releases.example/${sha256}.yaml`, sha256 };
  }

  #moduleDirectory(module: Module): string {
    const known = this.#modules.get(module);
    if (known !== undefined) return known;
    const words = ['mod', 'download', '-json', modules[module]];
    const answer: unknown = JSON.parse(execFileSync('go', words, { cwd: tmpdir(), encoding: 'utf8' }));
    const found = (answer as { Dir: string }).Dir;
    this.#modules.set(module, found);
    return found;
  }
}
