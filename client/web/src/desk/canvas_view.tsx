// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from "preact/hooks";
import { Stage } from "@viewer/view/stage";

interface CanvasViewProps {
  /** The stage stands: draw on it. Answers with what to do when it goes. */
  readonly onStage: (stage: Stage) => () => void;
  readonly onCamera: () => void;
  readonly onNoWebGl: () => void;
  /** The graphics were taken away, or given back. */
  readonly onLost: (isLost: boolean) => void;
  readonly cursor: string;
}

/** The canvas that a stage draws into. */
export function CanvasView({ onStage, onCamera, onNoWebGl, onLost, cursor }: CanvasViewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    let stage: Stage;
    try {
      stage = new Stage(element, onCamera, onLost);
    } catch (error) {
      console.warn("no WebGL 2:", error);
      onNoWebGl();
      return;
    }
    const leave = onStage(stage);
    return () => {
      leave();
      stage.dispose();
    };
    // The stage lives as long as the canvas; the callbacks are the first ones.
  }, []);
  return <canvas ref={canvas} class="stage" style={{ cursor }} tabIndex={0} aria-label="The simulation" />;
}
