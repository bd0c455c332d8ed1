// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from "preact/hooks";

/** `value`, but changing at most every `milliseconds`: for what is costly to draw and need not follow every picture. */
export function useCalm<T>(value: T, milliseconds: number): T {
  const [calm, setCalm] = useState(value);
  const changedAt = useRef(-Infinity);
  useEffect(() => {
    if (Object.is(value, calm)) return;
    const change = (): void => {
      changedAt.current = performance.now();
      setCalm(value);
    };
    const timer = setTimeout(change, Math.max(0, changedAt.current + milliseconds - performance.now()));
    return () => clearTimeout(timer);
  }, [value, calm, milliseconds]);
  return calm;
}
