/** A manifest that is written here: checked, planned, applied. */
import { ManifestEditor } from '../parts/manifest-editor.tsx';

const nothing = { text: '', generation: 0 } as const;

export default function NewManifestPage() {
  return (
    <>
      <div className="title">
        <h1>New manifest</h1>
        <span className="dim">Nothing happens before you apply the plan.</span>
      </div>
      <ManifestEditor stored={nothing} />
    </>
  );
}
