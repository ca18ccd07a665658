/** Stores of documents in memory. */
import { PipelineError } from '#domain/errors.ts';
import type { RoleBinding } from '#domain/manifest/role-binding.ts';
import type { Artifacts, BytePiece, RoleBindingStore, SecretStore, TemplateReferenceStore } from '#functions/ports.ts';

export class InMemoryArtifacts implements Artifacts {
  readonly #objects = new Map<string, Uint8Array>();

  async getText(key: string): Promise<string | undefined> {
    const bytes = this.#objects.get(key);
    return bytes && new TextDecoder().decode(bytes);
  }

  async putText(key: string, text: string): Promise<void> {
    this.#objects.set(key, new TextEncoder().encode(text));
  }

  async createText(key: string, text: string): Promise<boolean> {
    if (this.#objects.has(key)) return false;
    await this.putText(key, text);
    return true;
  }

  async getBytes(key: string, piece?: BytePiece): Promise<Uint8Array | undefined> {
    return this.#objects.get(key)?.slice(piece?.from, piece && piece.from + piece.length);
  }

  async putBytes(key: string, bytes: Uint8Array): Promise<void> {
    this.#objects.set(key, bytes.slice());
  }

  async list(prefix: string): Promise<readonly { readonly key: string; readonly size: number }[]> {
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    return keys.map((key) => ({ key, size: this.#objects.get(key)?.byteLength ?? 0 }));
  }

  async remove(key: string): Promise<void> {
    this.#objects.delete(key);
  }

  async removeAll(prefix: string): Promise<void> {
    for (const { key } of await this.list(prefix)) this.#objects.delete(key);
  }
}

export class InMemorySecrets implements SecretStore {
  readonly #secrets = new Map<string, Readonly<Record<string, string>>>();

  async exists(path: string): Promise<boolean> {
    return this.#secrets.has(path);
  }

  async get(path: string): Promise<Readonly<Record<string, string>> | undefined> {
    return structuredClone(this.#secrets.get(path));
  }

  async put(path: string, values: Readonly<Record<string, string>>): Promise<void> {
    this.#secrets.set(path, structuredClone(values));
  }

  async create(path: string, values: Readonly<Record<string, string>>): Promise<boolean> {
    if (this.#secrets.has(path)) return false;
    await this.put(path, values);
    return true;
  }

  async remove(path: string): Promise<void> {
    this.#secrets.delete(path);
  }

  async list(prefix: string): Promise<readonly string[]> {
    const below = prefix === '' ? '' : `${prefix.replace(/\/+$/, '')}/`;
    return [...this.#secrets.keys()].filter((path) => path.startsWith(below)).sort();
  }
}

export class InMemoryTemplates implements TemplateReferenceStore {
  readonly #documents = new Map<string, unknown>();

  async get(namespace: string, name: string): Promise<unknown> {
    return structuredClone(this.#documents.get(`${namespace}/${name}`));
  }

  async put(namespace: string, name: string, document: unknown): Promise<void> {
    this.#documents.set(`${namespace}/${name}`, structuredClone(document));
  }

  async remove(namespace: string, name: string): Promise<void> {
    this.#documents.delete(`${namespace}/${name}`);
  }

  async list(namespace: string): Promise<readonly string[]> {
    const below = `${namespace}/`;
    const paths = [...this.#documents.keys()].filter((path) => path.startsWith(below));
    return paths.map((path) => path.slice(below.length)).sort();
  }
}

export class InMemoryRoleBindings implements RoleBindingStore {
  readonly #documents = new Map<string, RoleBinding>();

  async list(): Promise<readonly RoleBinding[]> {
    return [...this.#documents.values()].map((binding) => structuredClone(binding));
  }

  async put(binding: RoleBinding): Promise<void> {
    this.#documents.set(binding.metadata.name, structuredClone(binding));
  }

  async remove(name: string): Promise<void> {
    if (!this.#documents.delete(name)) throw new PipelineError('NotFound', `there is no RoleBinding "${name}"`);
  }
}
