/** `SecretStore` on SSM Parameter Store: one SecureString a secret, its fields as JSON. */
import {
  DeleteParameterCommand,
  GetParameterCommand,
  ParameterAlreadyExists,
  ParameterNotFound,
  PutParameterCommand,
  paginateGetParametersByPath,
  SSMClient,
  type SSMClientConfig,
} from '@aws-sdk/client-ssm';
import { z } from 'zod';
import { trimmedEnd } from '#domain/trimmed-end.ts';
import type { SecretStore } from '../ports.ts';

const Fields = z.record(z.string(), z.string());

/** Standard parameters hold 4 KB; a service account key of Google Cloud alone comes near it. */
const standardBytes = 4096;

export class SsmSecrets implements SecretStore {
  readonly #client: SSMClient;
  readonly #prefix: string;
  readonly #keyId: string;

  /** `keyId`: the KMS key that encrypts values; empty for SSM's own. */
  constructor(client: SSMClient, prefix: string, keyId = '') {
    this.#client = client;
    this.#prefix = prefix;
    this.#keyId = keyId;
  }

  /** With a client of its own: a bundle has as much of the SDK as this file names. */
  static of(options: SSMClientConfig, prefix: string, keyId?: string): SsmSecrets {
    return new SsmSecrets(new SSMClient(options), prefix, keyId);
  }

  async exists(path: string): Promise<boolean> {
    return (await this.#read(path, false)) !== undefined;
  }

  async get(path: string): Promise<Readonly<Record<string, string>> | undefined> {
    const value = await this.#read(path, true);
    return value === undefined ? undefined : Fields.parse(JSON.parse(value));
  }

  async put(path: string, values: Readonly<Record<string, string>>): Promise<void> {
    const command = { ...this.#parameter(path, values), Overwrite: true };
    try {
      await this.#client.send(new PutParameterCommand(command));
    } catch (error) {
      // One that was larger before: SSM makes no standard parameter of an advanced one.
      if (command.Tier !== 'Standard' || !isDowngrade(error)) throw error;
      await this.#client.send(new PutParameterCommand({ ...command, Tier: 'Advanced' }));
    }
  }

  async create(path: string, values: Readonly<Record<string, string>>): Promise<boolean> {
    try {
      await this.#client.send(new PutParameterCommand({ ...this.#parameter(path, values), Overwrite: false }));
      return true;
    } catch (error) {
      if (error instanceof ParameterAlreadyExists) return false;
      throw error;
    }
  }

  async remove(path: string): Promise<void> {
    try {
      await this.#client.send(new DeleteParameterCommand({ Name: this.#name(path) }));
    } catch (error) {
      if (!(error instanceof ParameterNotFound)) throw error;
    }
  }

  async list(prefix: string): Promise<readonly string[]> {
    const found: string[] = [];
    const asked = { Path: this.#name(prefix), Recursive: true, WithDecryption: false };
    for await (const page of paginateGetParametersByPath({ client: this.#client }, asked))
      for (const { Name = '' } of page.Parameters ?? []) found.push(Name.slice(this.#prefix.length + 1));
    return found.sort();
  }

  async #read(path: string, decrypt: boolean): Promise<string | undefined> {
    try {
      const command = new GetParameterCommand({ Name: this.#name(path), WithDecryption: decrypt });
      return (await this.#client.send(command)).Parameter?.Value ?? '';
    } catch (error) {
      if (error instanceof ParameterNotFound) return undefined;
      throw error;
    }
  }

  #parameter(path: string, values: Readonly<Record<string, string>>) {
    const Value = JSON.stringify(values);
    const Tier = Buffer.byteLength(Value) > standardBytes ? ('Advanced' as const) : ('Standard' as const);
    const key = this.#keyId === '' ? {} : { KeyId: this.#keyId };
    return { Name: this.#name(path), Value, Type: 'SecureString' as const, Tier, ...key };
  }

  /** Paths have no slash at either end; an empty one is everything. */
  #name(path: string): string {
    const clean = trimmedEnd(path.replace(/^\/+/, ''), '/');
    return clean === '' ? this.#prefix : `${this.#prefix}/${clean}`;
  }
}

function isDowngrade(error: unknown): boolean {
  return error instanceof Error && error.name === 'ValidationException' && /advanced/i.test(error.message);
}
