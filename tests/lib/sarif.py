"""The object model of SARIF 2.1.0 as generated from its schema: which properties each object may and must have."""
try:
    import attr
    import sarif_om
    sarif_om.attr = attr
except ImportError:
    sarif_om = None

MODEL = {"runs": "Run", "tool": "Tool", "driver": "ToolComponent", "rules": "ReportingDescriptor",
         "shortDescription": "MultiformatMessageString", "invocations": "Invocation", "results": "Result",
         "toolExecutionNotifications": "Notification", "message": "Message", "locations": "Location",
         "relatedLocations": "Location", "location": "Location", "physicalLocation": "PhysicalLocation",
         "artifactLocation": "ArtifactLocation", "region": "Region", "codeFlows": "CodeFlow",
         "threadFlows": "ThreadFlow", "properties": None, "partialFingerprints": None}
ENUMS = {"level": {"none", "note", "warning", "error"}, "importance": {"important", "essential", "unimportant"}}


def _misfits(model, value, kind, path):
    if isinstance(value, list):
        return [m for i, v in enumerate(value) for m in _misfits(model, v, kind, "%s[%d]" % (path, i))]
    known = {a.metadata["schema_property_name"]: a for a in getattr(model, kind).__attrs_attrs__}
    found = ["%s.%s" % (path, k) for k in value if k not in known]
    found += ["%s lacks %s" % (path, k) for k, a in known.items() if a.default is model.attr.NOTHING and k not in value]
    for k, v in value.items():
        inner = "ThreadFlowLocation" if kind == "ThreadFlow" and k == "locations" else MODEL.get(k)
        if isinstance(v, (dict, list)) and k in MODEL:
            found += _misfits(model, v, inner, path + "." + k) if inner else []
        elif isinstance(v, (dict, list)):
            found.append("%s.%s is not checked" % (path, k))
        elif k in ENUMS and v not in ENUMS[k]:
            found.append("%s.%s is %s" % (path, k, v))
    return found


def misfits(log):
    """The errors in a log; None: the package is not installed."""
    return None if sarif_om is None else _misfits(sarif_om, log, "SarifLog", "log")
