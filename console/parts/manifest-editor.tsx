/** The text of a manifest with its faults next to it: checked when the writer pauses, planned when asked for. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { PlanReport } from '#contracts/api-bodies.ts';
import type { SourceRow } from '#contracts/git-sources.ts';
import { type AnswerTo, ask, RequestRefused } from '../api.ts';
import type { CodeEditor } from '../editor/code-editor.ts';
import type { LineFault } from '../editor/line-faults.ts';
import { commands, type Name } from '../model/commands.ts';
import { countOf } from '../model/count-of.ts';
import type { Stored } from '../model/draft.ts';
import { keyed } from '../model/keyed.ts';
import { may } from '../model/rights.ts';
import { useWhoAmI } from '../queries.ts';
import { CarryOut } from './carry-out.tsx';
import { CopyCommand } from './copy-command.tsx';
import { DocumentEditor } from './document-editor.tsx';
import { PlanView } from './plan-view.tsx';
import { Trouble } from './states.tsx';
import { Sign } from './status.tsx';
import { type Drafting, useDraft } from './use-draft.ts';

type Validation = AnswerTo<'POST /v1/validate'>;
type Fault = Validation['documents'][number]['faults'][number];

/** Kinds of documents that machines are made from. */
const kinds = { InputManifest: true, MachineGroups: true } as const satisfies Record<SourceRow['kind'], true>;

interface ManifestEditorProps {
  readonly stored: Stored;
  /** The manifest must keep this name. @default whatever the text says */
  readonly of?: Name;
}

export function ManifestEditor({ stored, of }: ManifestEditorProps) {
  const drafting = useDraft(of ? `${of.namespace}/${of.name}` : '', stored);
  const { text } = drafting.draft;
  const editor = useRef<CodeEditor>(null);
  const checked = useChecked(text);
  const { document, name, others, faults } = checked;
  const planned = useMutation<PlanOfText>({
    mutationFn: async () => {
      if (!name) throw new Error('the text has no manifest with a name');
      const report = await ask('POST /v1/manifests/{namespace}/{name}/plan', { params: name, body: text });
      return { ...report, text };
    },
  });
  const plan = planned.data;
  const outdated = plan !== undefined && plan.text !== text;
  const marks = useMemo(() => faults.flatMap(markOf), [faults]);
  return (
    <div className="editor">
      <div>
        <DocumentEditor
          label="Manifest as YAML"
          example={'apiVersion: kubeloom.dev/v1\nkind: InputManifest\n…'}
          write={drafting.write}
          {...{ text, editor, faults: marks }}
        />
      </div>
      <div>
        <div className="editor-state">
          <span role="status">
            <StateOfText text={text} {...checked} />
          </span>
          <button
            type="button"
            className={plan === undefined || outdated ? 'main' : undefined}
            disabled={!name || others.length > 0 || faults.length > 0 || planned.isPending || checked.waits}
            onClick={() => planned.mutate()}
          >
            {planned.isPending ? 'Planning …' : plan === undefined ? 'Plan' : 'Plan again'}
          </button>{' '}
          <CopyCommand command={commands.planOfFile()} />
        </div>
        {checked.error && faults.length === 0 ? <Trouble error={checked.error} what="the check" /> : null}
        {of && name && (of.name !== name.name || of.namespace !== name.namespace) && (
          <p className="notice warn">
            <span aria-hidden="true">!</span> The text names {name.namespace}/{name.name}: that is a different manifest
            from this one.
          </p>
        )}
        {document && others.length > 0 && <OtherDocuments of={others} />}
        <FaultLines faults={faults} goTo={(line) => editor.current?.goTo(line)} />
        <DraftRemark {...drafting} />
        {of && !drafting.isChanged && plan === undefined && (
          <p className="dim">This is the document as it is stored, with all defaults filled in.</p>
        )}
        {planned.error && <Trouble error={planned.error} what="the plan" />}
        {plan && <PlannedText {...{ plan, name, outdated }} done={drafting.done} />}
      </div>
    </div>
  );
}

type PlanOfText = PlanReport & { readonly text: string };

/** What the API says of the text, once the writer pauses. */
function useChecked(text: string) {
  const settled = useSettled(useDeferredValue(text), 400);
  const { data, error, isFetching } = useQuery({
    queryKey: ['validate', settled],
    queryFn: ({ signal }) => ask('POST /v1/validate', { body: settled, signal }),
    enabled: settled.trim() !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10_000,
  });
  const document = data?.documents.find(({ kind }) => kind !== null && Object.hasOwn(kinds, kind));
  const name = document?.name ? { namespace: document.namespace ?? 'default', name: document.name } : undefined;
  const others = data?.documents.filter((one) => one !== document) ?? [];
  const faults = useMemo(() => faultsOf(data, error), [data, error]);
  /** It is about an earlier text than this. */
  const waits = settled !== text;
  return { document, name, others, faults, error, waits, isChecking: waits || isFetching };
}

type Checked = ReturnType<typeof useChecked>;

function StateOfText({ text, isChecking, faults, error, name }: Checked & { readonly text: string }) {
  if (text.trim() === '') return <span className="dim">Write or paste a manifest; it is checked while you write.</span>;
  if (isChecking) return <Sign tone="calm" word="checking" />;
  if (faults.length > 0) return <Sign tone="bad" word={countOf(faults.length, 'fault')} />;
  if (error) return null;
  if (name) return <Sign tone="good" word={`${name.namespace}/${name.name} is valid`} />;
  return (
    <>
      <Sign tone="warn" word="no manifest in the text" />
      <span className="dim"> A plan here is of an InputManifest or of MachineGroups.</span>
    </>
  );
}

function OtherDocuments({ of }: { readonly of: Checked['others'] }) {
  return (
    <p className="notice warn">
      <span aria-hidden="true">!</span>
      <span>
        The text has {countOf(of.length, 'more document')} (
        {of.map(({ kind, name }) => `${kind ?? 'unknown'} ${name ?? ''}`.trim()).join(', ')}). A plan here is of one
        manifest: take them out, and apply them from a terminal, all together with <code>kubeloom apply -f</code>.
      </span>
    </p>
  );
}

interface FaultLinesProps {
  readonly faults: readonly Fault[];
  readonly goTo: (line: number) => void;
}

function FaultLines({ faults, goTo }: FaultLinesProps) {
  return (
    <ul className="faults">
      {keyed(faults, ({ path, reason }) => `${path} ${reason}`).map(([key, { line, path, reason, fix }]) => (
        <li key={key}>
          <button
            type="button"
            className="quiet"
            onClick={() => line !== undefined && goTo(line)}
            disabled={line === undefined}
          >
            {line === undefined ? '–' : `line ${line}`}
          </button>
          <span>
            <code>{path}</code> {reason}
            {fix !== undefined && <span className="hint"> → {fix}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface PlannedTextProps {
  readonly plan: PlanOfText;
  readonly name: Name | undefined;
  /** The text was changed since. */
  readonly outdated: boolean;
  readonly done: () => void;
}

function PlannedText({ plan, name, outdated, done }: PlannedTextProps) {
  const me = useWhoAmI();
  return (
    <div className={outdated ? 'outdated' : undefined}>
      {outdated && (
        <p className="notice warn">
          <span aria-hidden="true">!</span> The text was changed since: plan again.
        </p>
      )}
      <PlanView plan={plan} />
      {!outdated && name && may(me.data, 'operator', name.namespace) && (
        <CarryOut
          plan={plan}
          title="Apply exactly this plan"
          send={async (id) => {
            const accepted = await ask('PUT /v1/manifests/{namespace}/{name}', {
              params: name,
              body: plan.text,
              headers: { 'kubeloom-plan': id },
            });
            done();
            return accepted;
          }}
        >
          {plan.id !== null && <CopyCommand command={commands.apply(plan.id)} />}
        </CarryOut>
      )}
    </div>
  );
}

/** Whether the text differs from what is stored, and what to do when someone else stored another. */
function DraftRemark({ draft: { newer }, isChanged, load, keep }: Drafting) {
  if (newer)
    return (
      <div className="notice warn" role="alert">
        <span aria-hidden="true">!</span>
        <div>
          <p>Generation {newer.generation} was stored meanwhile. Your text is as you wrote it.</p>
          <div className="choices">
            <button type="button" onClick={load}>
              Load generation {newer.generation}
            </button>
            <button type="button" onClick={keep}>
              Keep mine
            </button>
          </div>
        </div>
      </div>
    );
  if (!isChanged) return null;
  return (
    <p className="dim">
      Not applied yet; it stays here while this tab is open.{' '}
      <button type="button" className="quiet" onClick={load}>
        Discard my changes
      </button>
    </p>
  );
}

/** The value once it has not changed for `ms`. */
function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), ms);
    return () => window.clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** The faults of documents. A text that is not YAML is refused as a whole. */
function faultsOf(checked: Validation | undefined, refusal: unknown): readonly Fault[] {
  if (refusal instanceof RequestRefused) return refusal.problem.faults ?? [];
  return checked?.documents.flatMap(({ faults }) => faults) ?? [];
}

function markOf({ line, path, reason, fix }: Fault): readonly LineFault[] {
  if (line === undefined) return [];
  return [{ line, text: `${path} ${reason}${fix === undefined ? '' : ` → ${fix}`}` }];
}
