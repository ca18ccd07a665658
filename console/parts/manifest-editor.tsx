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
  const me = useWhoAmI();
  const settled = useSettled(useDeferredValue(text), 400);
  const checked = useQuery({
    queryKey: ['validate', settled],
    queryFn: ({ signal }) => ask('POST /v1/validate', { body: settled, signal }),
    enabled: settled.trim() !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10_000,
  });
  const document = checked.data?.documents.find(({ kind }) => kind !== null && Object.hasOwn(kinds, kind));
  const name = document?.name ? { namespace: document.namespace ?? 'default', name: document.name } : undefined;
  const renamed = of && name && (of.name !== name.name || of.namespace !== name.namespace);
  const others = checked.data?.documents.filter((one) => one !== document) ?? [];
  const faults = useMemo(() => faultsOf(checked.data, checked.error), [checked.data, checked.error]);
  const planned = useMutation<PlanReport & { readonly text: string }>({
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
            {text.trim() === '' ? (
              <span className="dim">Write or paste a manifest; it is checked while you write.</span>
            ) : settled !== text || checked.isFetching ? (
              <Sign tone="calm" word="checking" />
            ) : faults.length > 0 ? (
              <Sign tone="bad" word={countOf(faults.length, 'fault')} />
            ) : checked.error ? null : name ? (
              <Sign tone="good" word={`${name.namespace}/${name.name} is valid`} />
            ) : (
              <>
                <Sign tone="warn" word="no manifest in the text" />
                <span className="dim"> A plan here is of an InputManifest or of MachineGroups.</span>
              </>
            )}
          </span>
          <button
            type="button"
            className={plan === undefined || outdated ? 'main' : undefined}
            disabled={!name || others.length > 0 || faults.length > 0 || planned.isPending || settled !== text}
            onClick={() => planned.mutate()}
          >
            {planned.isPending ? 'Planning …' : plan === undefined ? 'Plan' : 'Plan again'}
          </button>{' '}
          <CopyCommand command={commands.planOfFile()} />
        </div>
        {checked.error && faults.length === 0 && <Trouble error={checked.error} what="the check" />}
        {renamed && (
          <p className="notice warn">
            <span aria-hidden="true">!</span> The text names {name.namespace}/{name.name}: that is a different manifest
            from this one.
          </p>
        )}
        {document && others.length > 0 && (
          <p className="notice warn">
            <span aria-hidden="true">!</span>
            <span>
              The text has {countOf(others.length, 'more document')} (
              {others.map(({ kind, name: other }) => `${kind ?? 'unknown'} ${other ?? ''}`.trim()).join(', ')}). A plan
              here is of one manifest: take them out, and apply them from a terminal, all together with{' '}
              <code>kubeloom apply -f</code>.
            </span>
          </p>
        )}
        <ul className="faults">
          {keyed(faults, ({ path, reason }) => `${path} ${reason}`).map(([key, fault]) => (
            <li key={key}>
              <button
                type="button"
                className="quiet"
                onClick={() => fault.line !== undefined && editor.current?.goTo(fault.line)}
                disabled={fault.line === undefined}
              >
                {fault.line === undefined ? '–' : `line ${fault.line}`}
              </button>
              <span>
                <code>{fault.path}</code> {fault.reason}
                {fault.fix !== undefined && <span className="hint"> → {fault.fix}</span>}
              </span>
            </li>
          ))}
        </ul>
        <DraftRemark {...drafting} />
        {of && !drafting.isChanged && plan === undefined && (
          <p className="dim">This is the document as it is stored, with all defaults filled in.</p>
        )}
        {planned.error && <Trouble error={planned.error} what="the plan" />}
        {plan && (
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
                  drafting.done();
                  return accepted;
                }}
              >
                {plan.id !== null && <CopyCommand command={commands.apply(plan.id)} />}
              </CarryOut>
            )}
          </div>
        )}
      </div>
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
