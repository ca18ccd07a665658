/** One machine of a cloud of loopback that can be stopped and deleted by its id, and what such a cloud is for the tests of them all. */
import type { ProviderTypeName } from '#domain/provider-types.ts';
import type { ListInput } from '#runner/listing/listing.ts';
import type { CloudAnswer, CloudRequest, Routes } from '#test/provider-check/fake-cloud.ts';

export const cluster = 'shop-1234567';

/** The outcome of acts: all are refused for a reason, or are done. */
export type Refusal = 'denied' | 'kept' | 'busy';

/** The machine. A stop and a deletion take one look more than none. */
export class OneMachine {
  power: 'on' | 'stopping' | 'off' | 'deleting' | 'gone' = 'on';
  tag: string = cluster;
  refusal: Refusal | undefined;
  /** Its own system ends when it is asked to. */
  listens = true;
  /** Acts that it was asked for, refused or not. */
  readonly acts: ('ask' | 'stop' | 'delete')[] = [];

  /** What the cloud says now; it is a moment later then. */
  look(): typeof this.power {
    const now = this.power;
    if (now === 'stopping') this.power = 'off';
    if (now === 'deleting') this.power = 'gone';
    return now;
  }

  act(what: 'stop' | 'delete', answers: Readonly<Record<Refusal, CloudAnswer>>, done: CloudAnswer): CloudAnswer {
    this.acts.push(what);
    if (this.refusal !== undefined) return answers[this.refusal];
    this.power = what === 'stop' ? 'stopping' : 'deleting';
    return done;
  }

  /** Asks its own system to end. */
  ask(answers: Readonly<Record<Refusal, CloudAnswer>>, done: CloudAnswer): CloudAnswer {
    if (this.listens) return this.act('stop', answers, done);
    this.acts.push('ask');
    return done;
  }
}

export interface ActingCloud {
  readonly type: ProviderTypeName;
  readonly id: string;
  readonly place?: string;
  /** It has something that keeps a machine, and says so. */
  readonly keeps: boolean;
  /** A machine that is being deleted looks like one that is being stopped. @default it can */
  readonly hidesDeletion?: true;
  readonly input: (url: string) => Pick<ListInput, 'fields' | 'bases'>;
  readonly routes: (machine: OneMachine, url: () => string) => Routes;
}

export const tagsOf = ({ tag }: OneMachine) => ({ 'kubeloom-cluster': tag });
export const bearerOnly =
  (answer: (request: CloudRequest) => CloudAnswer) =>
  (request: CloudRequest): CloudAnswer =>
    request.headers.authorization === 'Bearer token' ? answer(request) : { status: 401, body: {} };
export const notFound: CloudAnswer = { status: 404, body: {} };
