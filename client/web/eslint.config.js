// SPDX-License-Identifier: Apache-2.0
// Run from the repository's root (npm run lint does), so that the tests beside client/ are linted by the same rules.
import { fileURLToPath } from "node:url";
import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["**/dist/", "**/node_modules/", "**/src/gen/", "build/"] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: { project: [fileURLToPath(new URL("tsconfig.json", import.meta.url))] },
    },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/dot-notation": "off", // tsc's noPropertyAccessFromIndexSignature manner of process.env["X"].
      eqeqeq: "error",
    },
  },
  { files: ["**/*.js"], ...tseslint.configs.disableTypeChecked },
  { files: ["**/*.js"], languageOptions: { globals: { URL: "readonly" } } },
);
