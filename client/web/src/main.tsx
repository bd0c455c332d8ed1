// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { connect } from "@viewer/api/clients";
import { App } from "@viewer/app/app";

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no #app");
render(<App api={connect(location.origin)} />, root);
