// SPDX-License-Identifier: Apache-2.0
// Drawn on a grid of 24, with lines of 1.75.

const paths = {
  play: "M7 4.500v15l12.500-7.500z",
  pause: "M8 5v14M16 5v14",
  stepBack: "M17 5v14l-9-7zM6 5v14",
  stepForward: "M7 5v14l9-7zM18 5v14",
  live: "M12 12m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0M6.300 6.300a8 8 0 0 0 0 11.400M17.700 6.300a8 8 0 0 1 0 11.400",
  loop: "M4 12a7 7 0 0 1 12-5l3 3M19 5v5h-5M20 12a7 7 0 0 1-12 5l-3-3M5 19v-5h5",
  fit: "M4 9V5a1 1 0 0 1 1-1h4M15 4h4a1 1 0 0 1 1 1v4M20 15v4a1 1 0 0 1-1 1h-4M9 20H5a1 1 0 0 1-1-1v-4",
  orbit: "M12 3c3 0 5 4 5 9s-2 9-5 9-5-4-5-9 2-9 5-9zM3 12c0-3 4-5 9-5s9 2 9 5-4 5-9 5-9-2-9-5z",
  grab: "M8 12V6.500a1.500 1.500 0 0 1 3 0V11M11 11V5a1.500 1.500 0 0 1 3 0v6M14 11V6.500a1.500 1.500 0 0 1 3 0V14a7 7 0 0 1-7 7c-3 0-4.500-1.500-6-4.500l-1.500-3a1.500 1.500 0 0 1 2.700-1.300L8 15",
  push: "M3 8c3-3 6 3 9 0s6 3 9 0M3 13h11M11 10l3 3-3 3M3 18c3-3 6 3 9 0s6 3 9 0",
  paint: "M14 6l4 4L10.500 17.500l-4-4zM14 6l3-3a1.400 1.400 0 0 1 2 0l2 2a1.400 1.400 0 0 1 0 2l-3 3M6.500 13.500c-3 .5-1.500 4.500-4.500 6.500 4 1 7.500 0 8.500-2.500",
  sun: "M12 12m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2",
  moon: "M20 14.500A8 8 0 1 1 9.500 4a6.500 6.500 0 0 0 10.500 10.500z",
  help: "M12 12m-9 0a9 9 0 1 0 18 0a9 9 0 1 0-18 0M9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.7.300-1 .8-1 1.700M12 16.800v.2",
  back: "M15 5l-7 7 7 7",
  panel: "M4 5h16v14H4zM14 5v14",
  download: "M12 4v11M7 10.500l5 5 5-5M5 20h14",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  stop: "M6 6h12v12H6z",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  upload: "M12 19V8M7 12.500l5-5 5 5M5 4h14",
  warning: "M12 4l9 16H3zM12 10v4.500M12 17.200v.1",
  check: "M5 12.500l4.500 4.500L19 7",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
