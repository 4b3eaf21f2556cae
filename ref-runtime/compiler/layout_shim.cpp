/* Layouts of variables, from clang's types. */
#include "ref-runtime/compiler/layout_shim.hpp"

#include <clang/AST/Decl.h>
#include <clang/AST/RecordLayout.h>

namespace
{

constexpr size_t LONGEST = 8000; /* characters of a layout */

std::string one_scalar(clang::QualType type, const clang::ASTContext &context)
{
    if (const auto *enumeration = type->getAs<clang::EnumType>())
        type = enumeration->getDecl()->getIntegerType();
    if (type.isNull())
        return "";
    const bool integer = type->isIntegerType() && !type->isBooleanType();
    if (!integer && !type->isRealFloatingType())
        return "";
    const uint64_t size = context.getTypeSizeInChars(type).getQuantity();
    const std::string sign = type->isUnsignedIntegerType() ? "u" : "";
    if (!integer)
        return size == 2 ? "half" : size == 4 ? "float" : "double";
    return sign + (size == 1 ? "char" : size == 2 ? "short" : size == 4 ? "int" : "long");
}

std::string count_and_size(uint64_t count, clang::QualType type, const clang::ASTContext &context)
{
    return std::to_string(count) + "*" + std::to_string(context.getTypeSizeInChars(type).getQuantity());
}

class Writer
{
  public:
    explicit Writer(const clang::ASTContext &of) : context(of) {}
    void add(clang::QualType type)
    {
        if (const auto *atomic = type->getAs<clang::AtomicType>())
            type = atomic->getValueType();
        if (text.size() > LONGEST)
            return;
        if (const auto *array = context.getAsConstantArrayType(type)) {
            text +=
                "[" + count_and_size(array->getSize().getZExtValue(), array->getElementType(), context) + "]";
            add(array->getElementType());
        } else if (const auto *vector = type->getAs<clang::VectorType>()) {
            text += "<" + count_and_size(vector->getNumElements(), vector->getElementType(), context) + ">";
            text += one_scalar(vector->getElementType(), context);
        } else if (type->isStructureType()) {
            add_members(*type->getAsStructureType()->getDecl());
        } else {
            text += one_scalar(type, context);
        }
    }
    std::string text;

  private:
    void add_members(const clang::RecordDecl &structure)
    {
        const clang::ASTRecordLayout &layout = context.getASTRecordLayout(&structure);
        const char *before = "{";
        for (const clang::FieldDecl *field : structure.fields()) {
            const uint64_t offset = layout.getFieldOffset(field->getFieldIndex()) / 8;
            text += before + std::to_string(offset) + "+" +
                    std::to_string(context.getTypeSizeInChars(field->getType()).getQuantity()) + ":" +
                    field->getName().str() + "=";
            add(field->getType());
            before = ",";
        }
        text += *before == '{' ? "" : "}";
    }

    const clang::ASTContext &context;
};

} // namespace

std::string rt_scalar_name(clang::QualType type, const clang::ASTContext &context)
{
    if (type->isPointerType())
        type = type->getPointeeType();
    type = context.getBaseElementType(type);
    if (const auto *atomic = type->getAs<clang::AtomicType>())
        type = atomic->getValueType();
    if (const auto *vector = type->getAs<clang::VectorType>())
        type = vector->getElementType();
    return one_scalar(type, context);
}

std::string rt_layout(clang::QualType type, const clang::ASTContext &context)
{
    Writer writer(context);
    const bool pointer = type->isPointerType();
    if (pointer)
        type = type->getPointeeType();
    if (type->isIncompleteType() || type->isFunctionType())
        return "";
    if (pointer)
        writer.text = "[" + count_and_size(0, type, context) + "]";
    writer.add(type);
    const std::string &text = writer.text;
    const bool composite =
        text.find_first_of("<{") != std::string::npos || text.find('[', 1) != std::string::npos;
    return composite && text.size() <= LONGEST ? text : "";
}
